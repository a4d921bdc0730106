import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { isMemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { BAD_KEYS, BAD_TYPES, GOOD_KEYS } from "./corpora.ts";
import { brokenRule } from "./support.ts";

describe("sanitizePathKey", () => {
  it.each(BAD_KEYS.map(({ key, why, rules }) => ({ shown: JSON.stringify(key).slice(0, 80), key, why, rules })))(
    "refuses $shown: $why",
    ({ key, rules }) => {
      // The corpus allows 4,096 bytes; a key over our bound is refused for that before anything else is looked at.
      const allowed = key.length > LIMITS.keySizeBytesMax ? [...rules, "R-LEN"] : rules;
      expect(allowed).toContain(brokenRule(key));
      expect(isMemoryKey(key)).toBe(false);
    },
  );

  it.each(GOOD_KEYS)("accepts $key ($why)", ({ key }) => {
    expect(sanitizePathKey(key)).toBe(key);
    expect(isMemoryKey(key)).toBe(true);
  });

  it.each([
    ...BAD_TYPES,
    ...[undefined, Symbol("a.md"), 1n, () => "a.md", new String("a.md"), Buffer.from("a.md")].map((key) => ({ key })),
  ])("refuses what is no string: $key", ({ key }) => {
    expect(brokenRule(key)).toBe("R-TYPE");
    expect(isMemoryKey(key)).toBe(false);
  });

  it("refuses an object before it can act as a string", () => {
    const trap = {
      toString: () => expect.unreachable("toString was called"),
      [Symbol.toPrimitive]: () => expect.unreachable("coerced"),
    };
    expect(brokenRule(trap)).toBe("R-TYPE");
  });

  it.each([
    { name: "a segment", key: (size: number) => `${"a".repeat(size - 3)}.md`, max: LIMITS.keySegmentSizeBytesMax },
    {
      name: "a segment of two-byte letters",
      key: (size: number) => `${size % 2 ? "" : "a"}${"é".repeat(Math.floor((size - 3) / 2))}.md`,
      max: LIMITS.keySegmentSizeBytesMax,
    },
    { name: "a key", key: (size: number) => ofSize(size), max: LIMITS.keySizeBytesMax },
  ])("takes $name at its bound, and not one byte over it", ({ key, max }) => {
    expect(Buffer.byteLength(key(max))).toBe(max);
    expect(brokenRule(key(max))).toBeNull();
    expect(brokenRule(key(max + 1))).toBe("R-LEN");
  });

  it("takes as many folders as the bound says, and not one more", () => {
    const deep = (depth: number) => `${"a/".repeat(depth - 1)}a.md`;
    expect(brokenRule(deep(LIMITS.keyDepthMax))).toBeNull();
    expect(brokenRule(deep(LIMITS.keyDepthMax + 1))).toBe("R-DEPTH");
  });

  it.each(["a", "/", "../", "%2e", "\u0301", "e\u0301", "\u200d", "👩\u200d", ".", " ", "~1", "\ud800", "\ufdfa"])(
    "answers in no time for 4 MB of %j",
    (unit) => {
      const key = unit.repeat(Math.ceil((4 * 1024 * 1024) / unit.length));
      const start = performance.now();
      expect(brokenRule(key)).toBe("R-LEN");
      // Anything worse than linear would take hours; a busy machine may take a while.
      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );

  it.each(["\u0301", "👩\u200d", "~1", " ", "%", "\ufdfa", "a/", "."])(
    "answers in a blink for the longest key of %j that the bound lets through",
    (unit) => {
      const key = unit.repeat(Math.floor(LIMITS.keySizeBytesMax / Buffer.byteLength(unit)));
      const start = performance.now();
      for (let round = 0; round < 100; round++) isMemoryKey(key);
      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );

  it("names the rule, shows the key escaped, and says what the rule is about", () => {
    const refuse = () => sanitizePathKey("../\u202e\u0007.md");
    expect(refuse).toThrow(PathTraversalError);
    try {
      refuse();
    } catch (error) {
      expect(error).toMatchObject({
        code: "path_traversal",
        rule: "R-CTRL",
        displayKey: "../\\u{202e}\\u{7}.md",
        details: { rule: "R-CTRL", key: "../\\u{202e}\\u{7}.md" },
        message: "Cannot use this key, it has a control character (R-CTRL): ../\\u{202e}\\u{7}.md",
      });
    }
  });
});

function ofSize(size: number): string {
  const folders = "a"
    .repeat(200)
    .concat("/")
    .repeat(Math.floor((size - 4) / 201));
  return `${folders}${"a".repeat(size - folders.length - 3)}.md`;
}
