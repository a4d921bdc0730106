import { readFileSync } from "node:fs";
import { writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * The index as it was made last. Sessions are told this copy, so that a file under team/ that anyone may write is not
 * what they hear.
 */
export interface CachedIndex {
  readonly text: string;
}

/** Null: there is none yet. */
export function readCachedIndex(stateFolder: string): CachedIndex | null {
  try {
    return { text: readFileSync(statePath(stateFolder, "index"), "utf8") };
  } catch {
    return null;
  }
}

export function writeCachedIndex(stateFolder: string, { text }: CachedIndex): void {
  writeWhole(statePath(stateFolder, "index"), text, { isDurable: false });
}
