import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KEY_RULES } from "../../../shared/path/key-rules.ts";
import { isPlainKey } from "../../../shared/path/plain-key.ts";
import { BAD_KEYS, GOOD_KEYS } from "./corpora.ts";

/** Pieces of which plain keys are made, and those that rules name among them. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "note", "_", "-", "7", "md", "z") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("con", "prn", "aux", "nul", "com1", "lpt9", "conin$", "tmp-sync-", "team.lock"),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom("memory", "mem", "ory", "rn", "0", "o", "e", "y", "MEMORY", "__proto__", "git~1"),
  },
  { weight: 2, arbitrary: fc.constantFrom("/", ".", ".md", ".md/", "..", "\n") },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 1 }) },
);
const anyKey = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `${pieces.join("")}.md`);

const brokenBy = (key: string) => KEY_RULES.find((rule) => rule.isBroken(key))?.id ?? null;

describe("isPlainKey", () => {
  it.each([
    { key: "feedback_testing.md", isPlain: true },
    { key: "project_topic-00042.md", isPlain: true },
    { key: "a/b/c/d.md", isPlain: true },
    { key: "a/b/c/d/e.md", isPlain: false },
    { key: "notes/memory.md", isPlain: true },
    { key: `${"a".repeat(60)}.md`, isPlain: true },
    { key: `${"a".repeat(61)}.md`, isPlain: false },
    { key: "README.md", isPlain: false },
    { key: "größe.md", isPlain: false },
    { key: "a.md\n", isPlain: false },
  ])("says $isPlain of $key", ({ key, isPlain }) => {
    expect(isPlainKey(key)).toBe(isPlain);
  });

  it("says yes to no key that breaks a rule", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        fc.pre(isPlainKey(key));
        expect(brokenBy(key)).toBeNull();
      }),
      { numRuns: 3_000 },
    );
  });

  it("says yes to no name of up to four letters that a rule would refuse, nor to one drawn like the index's", () => {
    const letters = "acdeilmnoprtuxy01_-";
    const short = [...words(letters, 4)].flatMap((word) => [`${word}.md`, `${word}/a.md`]);
    const drawn = ["memory", "rnemory", "memorny", "mernory", "rnernory"].flatMap((name) => [
      name,
      name.replace("o", "0"),
    ]);
    const wrong = [...short, ...drawn.map((name) => `${name}.md`)].filter(
      (key) => isPlainKey(key) && brokenBy(key) !== null,
    );
    expect(wrong).toEqual([]);
    expect(short.filter(isPlainKey).length).toBeGreaterThan(10_000);
  });

  it.each([...BAD_KEYS, ...GOOD_KEYS].map(({ key }) => ({ key, shown: JSON.stringify(key).slice(0, 80) })))(
    "agrees with the rules on $shown",
    ({ key }) => {
      expect(isPlainKey(key) && brokenBy(key) !== null).toBe(false);
    },
  );
});

/** All words of `letters` that are one to `lengthMax` long; the longest ones begin as a device's name does. */
function* words(letters: string, lengthMax: number): Generator<string> {
  let grown: string[] = [""];
  for (let length = 1; length <= lengthMax; length += 1) {
    const next = grown.flatMap((word) => [...letters].map((letter) => word + letter));
    yield* next;
    grown = length < 3 ? next : ["con", "aux", "nul", "prn", "com", "lpt"];
  }
}
