import { onTestFinished } from "vitest";
import { scratchFolder } from "./teardown.ts";

/** A new empty folder, removed when the test that asked for it ends. Its path has no links in it. */
export function tempDir(): Promise<string> {
  return scratchFolder(onTestFinished);
}
