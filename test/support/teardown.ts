import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Takes what must be undone at the end. vitest's `onTestFinished` is such a function; its `afterAll` is none within a
 * `beforeAll`, where it is heard by nobody.
 */
export type OnEnd = (undo: () => Promise<void>) => unknown;

export interface Teardown {
  readonly onEnd: OnEnd;
  /** Undoes all that was registered, last first. */
  end(): Promise<void>;
}

/** For what is made once for a file, with `afterAll(teardown.end)` beside the `beforeAll` that makes it. */
export function openTeardown(): Teardown {
  const undos: (() => Promise<void>)[] = [];
  return {
    onEnd: (undo) => undos.push(undo),
    end: async () => {
      for (const undo of undos.splice(0).reverse()) await undo();
    },
  };
}

/** Runs `body`, then all that it registered, whether it succeeded or not; for the demo and the bench. */
export async function withTeardown<T>(body: (onEnd: OnEnd) => Promise<T>): Promise<T> {
  const teardown = openTeardown();
  try {
    return await body(teardown.onEnd);
  } finally {
    await teardown.end();
  }
}

/** A new empty folder, removed at the end. Its path has no links in it. */
export async function scratchFolder(onEnd: OnEnd): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "team-memory-")));
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}
