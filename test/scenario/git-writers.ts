import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

const WRITER = join(import.meta.dirname, "git-writer.ts");

/** The writer as one plain file, which starts ten times faster than its sources; its path. */
export async function buildWriter(folder: string): Promise<string> {
  const outfile = join(folder, "writer.cjs");
  await build({ entryPoints: [WRITER], outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" });
  return outfile;
}

export interface Writer {
  readonly child: ChildProcess;
  /** Ids of commits that it has said are in the base. */
  readonly landed: string[];
  /** When it has opened the repository. */
  readonly ready: Promise<void>;
  /** When it has said that `count` commits are in the base; never, if it ends before. */
  landedAtLeast(count: number): Promise<void>;
  /** When its process is gone and everything it said has been read; rejects if it failed by itself. */
  readonly ended: Promise<void>;
}

interface Writing {
  /** What buildWriter gave. */
  readonly program: string;
  /** The data folder. */
  readonly folder: string;
  readonly name: string;
  readonly commits: number;
}

/** A process that commits to the base of the repository in `folder`. */
export function startWriter({ program, folder, name, commits }: Writing): Writer {
  const child = spawn(process.execPath, [program, folder, name, String(commits)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout);
  const landed: string[] = [];
  lines.on("line", (line) => line !== "ready" && /^[0-9a-f]{40}$/.test(line) && landed.push(line));
  const ready = once(lines, "line").then(() => {});
  const ended = Promise.all([once(child, "close"), once(lines, "close")]).then(([[code, signal]]) => {
    if (code !== 0 && signal !== "SIGKILL") throw new Error(`the writer ${name} ended with ${code ?? signal}`);
  });
  const landedAtLeast = async (count: number) => {
    while (landed.length < count) await once(lines, "line");
  };
  return { child, landed, ready, landedAtLeast, ended };
}
