#!/usr/bin/env node
/** The command of the service. What ends the process or opens a port stands here; everything else can be imported. */
import { createServer } from "node:net";
import { basename, relative } from "node:path";
import closeWithGrace from "close-with-grace";
import { EXIT } from "../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { helpText, parseCall, usageOf } from "./cli.ts";
import { printTo, type ServerIo } from "./io.ts";
import { readVersion } from "./package-files.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const io = openIo(args.includes("--json"));
  try {
    return await run(args, io);
  } catch (error) {
    return reportFailure(error, io, usageOf(args));
  }
}

async function run(args: readonly string[], io: ServerIo): Promise<number> {
  const [first = "--help"] = args;
  if (first === "--version" || first === "-v") return answer(io, await readVersion());
  if (first === "--help" || first === "-h" || first === "help") return answer(io, helpText());
  const { row, ...options } = parseCall(args);
  if (options.values["help"] === true) return answer(io, helpText(row));
  const command = await row.load();
  return command(options, io);
}

function answer(io: ServerIo, text: string): number {
  io.result({ text }, [text]);
  return EXIT.ok;
}

/** What we refuse on purpose says why and what helps; anything else is a fault of ours, and says where. */
function reportFailure(thrown: unknown, io: ServerIo, usage: string): number {
  const error = isTeamMemoryError(thrown)
    ? thrown
    : new TeamMemoryError("internal", `Could not go on: ${thrown instanceof Error ? thrown.stack : thrown}`);
  const { code, message, details, row } = error;
  if (io.json) io.result({ error: { code, message, details } }, []);
  else io.err(`${message} [${code}]\n${code === "usage" ? usage : row.remedy}`);
  return row.exit;
}

function openIo(json: boolean): ServerIo {
  return {
    ...printTo(json),
    program: toProgram(process.argv[1] ?? ""),
    findFreePort,
    startListening: async (app, at) => {
      await app.listen(at);
    },
    closeAtEnd: (close) => {
      closeWithGrace({ delay: LIMITS.shutdownTimeoutMs, logger: false }, close);
    },
  };
}

function toProgram(path: string): string {
  if (basename(path) !== "main.js") return "team-memory-server";
  const nearby = relative(process.cwd(), path);
  return `node ${nearby.startsWith("..") ? path : nearby}`;
}

function findFreePort(host: string): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
