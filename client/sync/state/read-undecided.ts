import { readAttic } from "./attic.ts";
import { type AtticText, listAttic } from "./list-attic.ts";
import { type KeyMarks, type Marks, NO_MARKS, park } from "./marks.ts";

/**
 * The conflicts that wait for a decision, as far as the attic tells: for marks that were damaged. A text that was parked
 * waits until a decision about it puts a second copy of it there. Keys are as the attic names them, as they are in the
 * marks: whoever touches a file judges them; doing so here would load the rules at each session's start.
 */
export function readUndecided(stateFolder: string): Marks {
  const texts = listAttic(stateFolder);
  const read = ({ path }: AtticText) => readAttic(stateFolder, path)?.toString("base64") ?? null;
  const decided = new Set(texts.filter(({ why }) => why === "resolved").map((text) => toName(text, read(text))));
  const marks = new Map<string, KeyMarks>();
  for (const text of texts.toReversed()) {
    if (text.why !== "conflict" || decided.has(toName(text, read(text)))) continue;
    const base = texts.find((other) => other.why === "base" && other.key === text.key && other.atMs === text.atMs);
    const parked = { attic: text.path, ...(base === undefined ? {} : { base: base.path }) };
    marks.set(text.key, park(marks.get(text.key) ?? NO_MARKS, parked));
  }
  return marks;
}

function toName({ key }: AtticText, content: string | null): string {
  return `${key} ${content}`;
}
