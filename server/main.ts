#!/usr/bin/env node
/** The command of the service. What ends the process or opens a port stands here; everything else can be imported. */
import { createServer } from "node:net";
import { basename, relative } from "node:path";
import closeWithGrace from "close-with-grace";
import { EXIT } from "../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { parseCall } from "./cli.ts";
import { helpText } from "./help-text.ts";
import { isUnheard, printTo, type ServerIo } from "./io.ts";
import { readVersion } from "./package-files.ts";
import { toRemedy } from "./to-remedy.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const io = openIo(args.includes("--json"));
  try {
    return await run(args, io);
  } catch (error) {
    return reportFailure(error, io, args[0]);
  }
}

async function run(args: readonly string[], io: ServerIo): Promise<number> {
  const [first, second] = args;
  if (first === "--version" || first === "-v") return answer(io, await readVersion());
  const isHelp = first === "--help" || first === "-h" || first === "help";
  if (isHelp && second === undefined) return answer(io, helpText());
  const { row, ...options } = parseCall(isHelp ? [second ?? "", "--help"] : args);
  if (options.values["help"] === true) return answer(io, helpText(row));
  const command = await row.load();
  return command(options, io);
}

function answer(io: ServerIo, text: string): number {
  io.result({ text }, [text]);
  return EXIT.ok;
}

/** What we refuse on purpose says why and what helps, as the client does; anything else is a fault of ours. */
function reportFailure(thrown: unknown, io: ServerIo, command: string | undefined): number {
  const failure = isTeamMemoryError(thrown) ? thrown : toInternal(thrown);
  if (isUnheard(failure)) return failure.row.exit;
  if (io.json) printAsJson(failure, io);
  else printFailure(failure, io, command);
  return failure.row.exit;
}

function printAsJson({ code, message, details }: TeamMemoryError, io: ServerIo): void {
  try {
    io.result({ error: { code, message, details } }, []);
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    if (!isUnheard(error)) io.err(`team-memory-server: ${error.message} (${error.code})`);
  }
}

function printFailure(failure: TeamMemoryError, io: ServerIo, command: string | undefined): void {
  const { code, message, cause } = failure;
  io.err(`team-memory-server: ${message} (${code})`);
  io.err(toRemedy(failure, command));
  if (code === "internal" && cause instanceof Error) io.err(cause.stack ?? "");
}

function toInternal(thrown: unknown): TeamMemoryError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new TeamMemoryError("internal", `Something went wrong: ${reason}`, { cause: thrown });
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
    endWith: (error) => {
      setImmediate(() => {
        throw error;
      });
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
