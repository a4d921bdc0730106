import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Takes what must be undone at the end. `onTestFinished` and `afterAll` of vitest are such functions, and so is what
 * `withTeardown` hands to the demo and the bench, which run outside of it.
 */
export type OnEnd = (undo: () => Promise<void>) => unknown;

/** Runs `body`, then all that it registered, last first, whether it succeeded or not. */
export async function withTeardown<T>(body: (onEnd: OnEnd) => Promise<T>): Promise<T> {
  const undos: (() => Promise<void>)[] = [];
  try {
    return await body((undo) => undos.push(undo));
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

/** A new empty folder, removed at the end. Its path has no links in it. */
export async function scratchFolder(onEnd: OnEnd): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "team-memory-")));
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}
