import { lstatSync, type Stats } from "node:fs";

/** What lies at a path, links not followed; null: nothing. A folder that may be listed and not entered hides even that. */
export function look(path: string): Stats | "unreadable" | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return "unreadable";
  }
}
