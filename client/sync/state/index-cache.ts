import { LIMITS } from "../../../shared/limits.ts";
import { readSmallFile } from "../../memory/read-small-file.ts";
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
    const text = readSmallFile(statePath(stateFolder, "index"), LIMITS.clientStateSizeBytesMax);
    return text === null ? null : { text };
  } catch {
    return null;
  }
}

export function writeCachedIndex(stateFolder: string, { text }: CachedIndex): void {
  writeWhole(statePath(stateFolder, "index"), text, { isDurable: false });
}
