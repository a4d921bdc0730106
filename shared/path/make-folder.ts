import { mkdirSync } from "node:fs";
import { codeOf } from "./disk-error.ts";

/** One folder, 0700. That something is there already is no failure: whoever enters it sees what it is. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
