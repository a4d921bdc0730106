import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { isMemoryKey, type MemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { resolveTeamPath } from "../../../shared/path/team-path.ts";
import { BAD_KEYS, GOOD_KEYS } from "./corpora.ts";

const GOOD = GOOD_KEYS.map(({ key }) => key);

/** Pieces that make accepted keys often and near misses otherwise. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("a", "B", "note", "_", " ", "-", "é", "日本", "ß", "👩‍💻", "❤️", "100%", "~", "..", "1"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("/", ".md", ".md/", "%2e", "%", ".", "..", "../", "COM1", "~1", ".git", "MEMORY"),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\u200d", "\ufe0f", "\u202e", "\u0301", "\uff0f", "\u2044", "\\", ":", "\0"),
  },
);
const anyKey = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `${pieces.join("")}.md`),
  fc.constantFrom(...GOOD, ...BAD_KEYS.map(({ key }) => key)),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const acceptedKey = anyKey.filter(isMemoryKey);

const RUNS = { numRuns: 1_000 };

describe("sanitizePathKey, for any key that it accepts", () => {
  it("accepts the key again, unchanged", () => {
    fc.assert(
      fc.property(acceptedKey, (key) => sanitizePathKey(key) === key),
      RUNS,
    );
  });

  it.each([
    { name: "POSIX", rules: posix, team: "/home/ada/memory/team" },
    { name: "Windows", rules: win32, team: "C:\\Users\\ada\\memory\\team" },
    { name: "a Windows share", rules: win32, team: "\\\\server\\share\\team" },
  ])("resolves below the team directory by the path rules of $name, segment by segment", ({ rules, team }) => {
    fc.assert(
      fc.property(acceptedKey, (key: MemoryKey) => {
        expect(resolveTeamPath(team, key, rules)).toBe([team, ...key.split("/")].join(rules.sep));
      }),
      RUNS,
    );
  });

  it("is a fixed point of NFC and of a round trip through UTF-8", () => {
    fc.assert(
      fc.property(acceptedKey, (key) => key.normalize("NFC") === key && Buffer.from(key).toString() === key),
      RUNS,
    );
  });

  it("has no character that is not seen, but inside an emoji", () => {
    fc.assert(
      fc.property(acceptedKey, (key) => {
        const seen = key.replace(
          /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?|[#0-9])[\ufe0f\u200d]/gu,
          "",
        );
        expect(seen).not.toMatch(/[\p{C}\p{Zl}\p{Zp}](?<!\p{Cn})|\p{Default_Ignorable_Code_Point}/u);
      }),
      RUNS,
    );
  });

  it("stays the same key for a layer that decodes percent signs", () => {
    fc.assert(
      fc.property(acceptedKey, (key) => {
        expect(unescape(key)).toBe(key);
      }),
      RUNS,
    );
  });

  it("keeps its segments, and stays below the team directory, for a layer that applies NFKC", () => {
    fc.assert(
      fc.property(acceptedKey, (key) => {
        const folded = key.normalize("NFKC");
        expect(folded.split("/")).toHaveLength(key.split("/").length);
        expect(win32.resolve("C:\\team", folded)).toBe(["C:\\team", ...folded.split("/")].join("\\"));
      }),
      RUNS,
    );
  });
});

describe("sanitizePathKey, for any accepted key that is tampered with", () => {
  it.each([
    "\0",
    "\n",
    "\u001b",
    "\u009b",
    "\u200b",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\u00ad",
    "\ud800",
    "\ue000",
    "\ufffd",
    "\u2028",
    "\\",
    ":",
    "<",
    "|",
    "*",
    "%2f",
    "%%",
    "%u002f",
    "\u2215",
    "\u2216",
    "\uff0f",
    "\uff0e",
    "\u2026",
    "\u00a0",
    "\u2800",
    "/../",
    "//",
    "/./",
    "/.git/",
    "/con/",
    "/nul.x/",
    "/-x/",
    "/~/",
    "/x /",
    "/x./",
    "/GIT~1/",
    "/__proto__/",
    "/..;/",
  ])("refuses it with %j anywhere inside", (hostile) => {
    fc.assert(
      fc.property(acceptedKey, fc.nat(), (key, place) => {
        // Between two characters: half of a pair would be refused for that.
        const characters = [...key];
        characters.splice(1 + (place % (characters.length - 1)), 0, hostile);
        expect(isMemoryKey(characters.join(""))).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe("sanitizePathKey, for any key that it refuses", () => {
  it("shows it in one bounded line of characters that are seen", () => {
    fc.assert(
      fc.property(fc.oneof(anyKey, fc.string({ unit: "binary", minLength: 190, maxLength: 2_000 })), (key) => {
        fc.pre(!isMemoryKey(key));
        const { displayKey, message } = refusalOf(key);
        expect(displayKey.length).toBeLessThanOrEqual(LIMITS.displayLengthMax);
        expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Z}|\p{Default_Ignorable_Code_Point}/u);
      }),
      RUNS,
    );
  });
});

describe("sanitizePathKey, for every character of the first two planes and the tags", () => {
  it("accepts it inside a name only if it is seen, is no structure, and NFKC makes no structure of it", () => {
    const accepted = [...everyCharacter()].filter((character) => isMemoryKey(`a${character}b.md`));
    expect(accepted.length).toBeGreaterThan(60_000);
    const wrong = accepted.filter((character) => {
      const isUnseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/u.test(character);
      const isStructure = /[\\:<>"|?*]/u.test(character) || character === "\u00a0";
      const makesStructure = /[\\:%~<>"|?*.]/u.test(character.normalize("NFKC")) && !/[%~.]/u.test(character);
      return isUnseen || isStructure || makesStructure || character.normalize("NFC") !== character;
    });
    expect(wrong).toEqual([]);
  });
});

function refusalOf(key: string): PathTraversalError {
  try {
    sanitizePathKey(key);
  } catch (error) {
    if (error instanceof PathTraversalError) return error;
  }
  throw new Error("not refused");
}

function* everyCharacter(): Generator<string> {
  for (let code = 0; code <= 0x1ffff; code++) yield String.fromCodePoint(code);
  for (let code = 0xe0000; code <= 0xe0fff; code++) yield String.fromCodePoint(code);
}
