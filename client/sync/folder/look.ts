import { lstatSync, type Stats } from "node:fs";

/** What lies at a path, links not followed; null: nothing. A folder that may be listed and not entered hides even that. */
export function look(path: string): Stats | "unreadable" | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return "unreadable";
  }
}

/** The same for whom what is hidden is as good as nothing. */
export function lookOrNull(path: string): Stats | null {
  const seen = look(path);
  return seen === "unreadable" ? null : seen;
}
