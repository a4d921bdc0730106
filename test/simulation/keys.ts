import { type MemoryKey, sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";

/** Few, so that people meet at them; more than a pull may remove unasked. */
export const KEYS: readonly MemoryKey[] = Array.from("abcdefghijkl", (letter, index) =>
  sanitizePathKey(index % 4 === 0 ? `${letter}/notes.md` : `${letter}.md`),
);

export function toKey(random: (below: number) => number): MemoryKey {
  return KEYS[random(KEYS.length)] as MemoryKey;
}
