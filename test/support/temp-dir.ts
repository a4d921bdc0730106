import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new empty folder, removed when the test that asked for it ends. Its path has no links in it. */
export async function tempDir(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "team-memory-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
