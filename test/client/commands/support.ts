/** A developer who has joined, and commands as they call them, without a process for each. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { parseCall } from "../../../client/cli.ts";
import type { ClientEnvironment } from "../../../client/config.ts";
import { isTeamMemoryError, type TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { makeSeat } from "../hooks/support.ts";
import { type StubService, startStubService } from "../stub-service.ts";
import { recordingIo } from "./join-support.ts";

export interface Called {
  /** The exit code; where it failed, the error's. */
  readonly exit: number;
  /** What it printed for people, or how it failed: message and code. */
  readonly text: string;
  /** Under `--json`. */
  readonly data: unknown;
  /** How it failed; null where it did not. */
  readonly error: TeamMemoryError | null;
}

export interface Developer {
  readonly env: ClientEnvironment;
  readonly memoryDir: string;
  readonly teamDir: string;
  readonly stateFolder: string;
  call(line: string, env?: Partial<ClientEnvironment>): Promise<Called>;
  write(key: string, text: string | Uint8Array): Promise<void>;
  /** Null: it is not there. */
  read(key: string): Promise<string | null>;
  remove(key: string): Promise<void>;
}

async function makeDeveloper(service: Pick<StubService, "url">): Promise<Developer> {
  const { env, clone, located } = await makeSeat(service.url);
  const { teamDir, memoryDir, stateFolder } = located;
  return {
    env,
    memoryDir,
    teamDir,
    stateFolder,
    call: (line, changed) => call(line, { ...env, ...changed }, clone),
    write: async (key, text) => {
      await mkdir(dirname(join(teamDir, key)), { recursive: true });
      await writeFile(join(teamDir, key), text);
    },
    read: async (key) => (existsSync(join(teamDir, key)) ? readFile(join(teamDir, key), "utf8") : null),
    remove: (key) => rm(join(teamDir, key)),
  };
}

/** One who has pulled these memories, and their service. */
export async function startWork(memories: Record<string, string>): Promise<[Developer, StubService]> {
  const service = await startStubService(memories);
  const developer = await makeDeveloper(service);
  await developer.call("pull");
  return [developer, service];
}

/** As main does it; words are parted at spaces. */
async function call(line: string, env: ClientEnvironment, cwd: string): Promise<Called> {
  const { io, printed } = recordingIo();
  try {
    const { row, values, positionals } = parseCall(line.split(" "));
    const command = await row.load();
    const exit = await asNewProcess(() => command({ values, positionals, env, cwd }, io));
    return { exit, text: printed.lines.join("\n"), data: printed.data, error: null };
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    return { exit: error.row.exit, text: `${error.message} (${error.code})`, data: null, error };
  }
}

/** A pull is asked for when its process begins, which is now. */
async function asNewProcess<T>(act: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const clock = vi.spyOn(process, "uptime").mockImplementation(() => (performance.now() - startedAtMs) / 1_000);
  try {
    return await act();
  } finally {
    clock.mockRestore();
  }
}
