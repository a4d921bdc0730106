/** A developer's machine that has joined, and session starts on it without a process of their own. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { vi } from "vitest";
import type { ClientEnvironment, Variables } from "../../../client/config.ts";
import { sessionStart } from "../../../client/hooks/session-start.ts";
import { type Located, locate } from "../../../client/memory/locate.ts";
import { updateUserConfig } from "../../../client/user-config.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository } from "../memory/support.ts";
import { PROJECT } from "../stub-service.ts";

export interface Seat {
  readonly env: ClientEnvironment;
  /** A clone of the project. */
  readonly clone: string;
  readonly located: Located;
  /**
   * What the session is told: the whole answer, and the text in it. `sinceBeforeMs`: when its process begins, from now; left
   * out, so long that it counts as no twin of the one before.
   */
  startSession(options?: { part?: string; cwd?: string; sinceBeforeMs?: number }): Promise<Told>;
  /** Writes below the memory directory's state. */
  writeState(name: string, content: string): void;
}

export interface Told {
  readonly answer: string;
  readonly context: string;
}

export async function makeSeat(url: string, variables: Variables = {}): Promise<Seat> {
  const folder = await tempDir();
  const clone = await makeRepository(join(folder, "shop"));
  await git(clone, ["remote", "add", "origin", "git@github.com:acme/shop.git"]);
  const { env } = machineAt(folder, variables);
  await joinProject(env, url);
  const located = locate({ cwd: clone, env });
  return {
    env,
    clone,
    located,
    startSession: ({ part, cwd = clone, sinceBeforeMs } = {}) => startSession(env, { part, cwd, sinceBeforeMs }),
    writeState: (name, content) => {
      const path = join(located.stateFolder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    },
  };
}

/** What `join` leaves in the user's own config. */
async function joinProject(env: ClientEnvironment, url: string): Promise<void> {
  const person = { personId: "01J", name: "Ada", email: "ada@example.org", role: "contributor" } as const;
  await updateUserConfig(env, (config) => ({
    ...config,
    services: [{ url, token: "tmt_test", insecure: true, ...person }],
    projects: [{ project: parseProjectName(PROJECT), service: url }],
  }));
}

interface StartOptions {
  readonly part: string | undefined;
  readonly cwd: string;
  /** How long after this moment the process is said to begin. */
  readonly sinceBeforeMs: number | undefined;
}

async function startSession(
  env: ClientEnvironment,
  { part, cwd, sinceBeforeMs = LIMITS.startedTogetherMs }: StartOptions,
): Promise<Told> {
  const input = toInput(JSON.stringify({ cwd, hook_event_name: "SessionStart" }));
  const answer = await asNewProcess(
    () => sessionStart({ env, cwd, positionals: ["session-start"], values: { part } }, input),
    sinceBeforeMs,
  );
  const { hookSpecificOutput } = JSON.parse(answer) as { hookSpecificOutput?: { additionalContext: string } };
  return { answer, context: hookSpecificOutput?.additionalContext ?? "" };
}

/** Standard input with these chunks; it stays open unless the last one is null. */
export function toInput(...chunks: readonly (string | Buffer)[]): NodeJS.ReadStream {
  return Readable.from(chunks) as unknown as NodeJS.ReadStream;
}

/** The hook's time runs from the start of its process: now, and told from the session before unless a test says otherwise. */
async function asNewProcess<T>(act: () => Promise<T>, sinceBeforeMs: number): Promise<T> {
  const startedAtMs = performance.now() + sinceBeforeMs;
  const clock = vi.spyOn(process, "uptime").mockImplementation(() => (performance.now() - startedAtMs) / 1_000);
  try {
    return await act();
  } finally {
    clock.mockRestore();
  }
}
