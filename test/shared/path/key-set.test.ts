import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findKeyCollisions, foldKey } from "../../../shared/path/key-set.ts";
import { GOOD_KEYS } from "./corpora.ts";

describe("findKeyCollisions", () => {
  it.each([
    { name: "upper and lower case", keys: ["A.md", "a.md"] },
    { name: "one name in NFC and NFD", keys: ["caf\u00e9.md", "cafe\u0301.md"] },
    { name: "sharp s and ss", keys: ["stra\u00dfe.md", "strasse.md"] },
    { name: "capital sharp s and SS", keys: ["\u1e9e.md", "ss.md"] },
    { name: "a ligature and its letters", keys: ["\ufb01le.md", "file.md"] },
    { name: "fullwidth and plain letters", keys: ["\uff21\uff30\uff29.md", "api.md"] },
    { name: "long s and s", keys: ["\u017fo.md", "so.md"] },
    { name: "final and inner sigma", keys: ["\u03bf\u03b4\u03cc\u03c2.md", "\u03bf\u03b4\u03cc\u03c3.md"] },
    { name: "the Kelvin sign and k", keys: ["\u212a.md", "k.md"] },
    { name: "dotless and dotted i", keys: ["\u0131.md", "i.md"] },
    { name: "superscript and plain digits", keys: ["x\u00b2.md", "x2.md"] },
    { name: "an emoji with and without its selector", keys: ["\u26a0.md", "\u26a0\ufe0f.md"] },
    { name: "joined and separate pictographs", keys: ["👩\u200d💻.md", "👩💻.md"] },
    { name: "folders", keys: ["Docs/a.md", "docs/b.md"] },
    { name: "folders on the way", keys: ["a/Docs/x/a.md", "a/docs/x/b.md"] },
    { name: "the same key twice", keys: ["a.md", "a.md"] },
  ])("finds $name equal", ({ keys: [other, key] }) => {
    expect(findKeyCollisions([other!, key!])).toEqual([{ key, other, rule: "R-COLLISION" }]);
    expect(findKeyCollisions([key!, other!])).toEqual([{ key: other, other: key, rule: "R-COLLISION" }]);
  });

  it.each([
    { name: "a file, then a folder of its name", keys: ["x.md", "x.md/y.md"] },
    { name: "a folder, then a file of its name", keys: ["x.md/y.md", "x.md"] },
    { name: "in another case", keys: ["a/X.md/y/z.md", "a/x.md"] },
  ])("finds that one key is a folder of the other: $name", ({ keys: [other, key] }) => {
    expect(findKeyCollisions([other!, key!])).toEqual([{ key, other, rule: "R-FILE-DIR" }]);
  });

  it("lets lie side by side what every disk tells apart", () => {
    const keys = ["a.md", "a/b.md", "a/c.md", "a/b/c.md", "ab.md", "b/a.md", "a.md.md", "\u0430.md"];
    expect(findKeyCollisions(keys)).toEqual([]);
    const collisions = findKeyCollisions(GOOD_KEYS.map(({ key }) => key));
    expect(collisions.map(({ key, other }) => [other, key])).toEqual([
      ["com10.md", "COM10.md"],
      ["claude.md", "CLAUDE.md"],
    ]);
  });

  it("names the first of many, once for each of the others", () => {
    expect(findKeyCollisions(["a.md", "A.md", "b.md", "\uff41.md"])).toEqual([
      { key: "A.md", other: "a.md", rule: "R-COLLISION" },
      { key: "\uff41.md", other: "a.md", rule: "R-COLLISION" },
    ]);
  });

  it("gives no place to a refused key: what collides with it alone is kept", () => {
    expect(findKeyCollisions(["x.md", "X.md/a.md", "x.MD"])).toEqual([
      { key: "X.md/a.md", other: "x.md", rule: "R-FILE-DIR" },
      { key: "x.MD", other: "x.md", rule: "R-COLLISION" },
    ]);
    expect(findKeyCollisions(["a.md", "A.md/b/c.md", "a/b.md/c.md"])).toHaveLength(1);
  });

  it("leaves a set without collisions once the reported keys are taken out", () => {
    const segment = fc.constantFrom("a", "A", "\u00e4", "a\u0308", "ss", "\u00df", "x.md", "X.md");
    const keys = fc.array(fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/")));
    fc.assert(
      fc.property(keys, (all) => {
        const collisions = findKeyCollisions(all);
        const refused = new Set(collisions.map(({ key }) => key));
        expect(findKeyCollisions(all.filter((key) => !refused.has(key)))).toEqual([]);
        for (const { other } of collisions) expect(all).toContain(other);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes time in proportion to the keys", () => {
    const keysOf = (count: number) =>
      Array.from({ length: count }, (_, index) => `folder_${index % 97}/sub_${index % 13}/feedback_topic_${index}.md`);
    // The best of three: a busy machine makes single runs slow.
    const timeOf = (keys: readonly string[]) => {
      const times = [1, 2, 3].map(() => {
        const start = performance.now();
        findKeyCollisions(keys);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    expect(timeOf(keysOf(40_000))).toBeLessThan(Math.max(timeOf(keysOf(5_000)), 10) * 32);
  });

  it("takes names that objects have for keys", () => {
    expect(findKeyCollisions(["constructor", "__proto__", "toString", "hasOwnProperty"])).toEqual([]);
  });
});

describe("foldKey, for every character of the first two planes", () => {
  const characters = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code));

  it.each([
    { name: "its lower case", twin: (character: string) => character.toLowerCase() },
    { name: "its upper case", twin: (character: string) => character.toUpperCase() },
    { name: "its NFD", twin: (character: string) => character.normalize("NFD") },
    { name: "its NFKC", twin: (character: string) => character.normalize("NFKC") },
    { name: "its NFKD", twin: (character: string) => character.normalize("NFKD") },
    { name: "its fold", twin: foldKey },
  ])("folds it as $name", ({ twin }) => {
    const apart = characters.filter((character) => foldKey(`a${twin(character)}b`) !== foldKey(`a${character}b`));
    expect(apart.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  });
});
