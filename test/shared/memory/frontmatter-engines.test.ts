import matter from "gray-matter";
import { afterEach, describe, expect, it } from "vitest";
import { parseMemory } from "../../../shared/memory/parse-memory.ts";
import { FRONTMATTER_OPTIONS } from "../../../shared/memory/read-frontmatter.ts";

/**
 * A memory that runs code on the machine that reads it. The payload leaves a mark on globalThis if any engine evaluates
 * it; the first test shows that gray-matter as it comes does.
 */
const RAN = "__teamMemoryFrontmatterRan";
const PAYLOAD = `{ name: (globalThis.${RAN} = "yes") }`;

const ENGINES = [
  "javascript",
  "js",
  "coffee",
  "coffeescript",
  "cson",
  "json",
  "json5",
  "toml",
  "yaml",
  "yml",
  "ts",
  "eval",
];
const SPELLINGS = ENGINES.flatMap((engine) => [
  engine,
  engine.toUpperCase(),
  engine[0]?.toUpperCase() + engine.slice(1),
]);
const SPACINGS = ["", " ", "   ", "\t", "\u00a0", "\ufeff"];
const OPENINGS = SPELLINGS.flatMap((spelling) =>
  SPACINGS.flatMap((space) => [`---${space}${spelling}`, `---${space}${spelling} `]),
);
const INHERITED = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "__defineGetter__"];

function hasRun(): boolean {
  return RAN in globalThis;
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, RAN);
});

describe("script engines of frontmatter", () => {
  it.each(["---js", "---javascript", "--- js", "---JS"])("gray-matter as it comes runs %s", (opening) => {
    matter(`${opening}\n${PAYLOAD}\n---\nbody\n`, {});
    expect(hasRun()).toBe(true);
  });

  it.each([...OPENINGS, ...INHERITED.map((name) => `---${name}`), "----", "--- ", "---\u2028"])(
    "parseMemory runs nothing for %j",
    (opening) => {
      for (const newline of ["\n", "\r\n", "\r"]) {
        const memory = parseMemory([opening, PAYLOAD, "---", "body", ""].join(newline));
        expect(memory).toMatchObject({ name: null, hasFrontmatter: false });
        expect(memory.warnings).toHaveLength(1);
      }
      expect(hasRun()).toBe(false);
    },
  );

  it.each(SPELLINGS.filter((spelling) => !/^ya?ml$/i.test(spelling)))("the options alone refuse %s", (spelling) => {
    for (const space of ["", " ", "\t"]) {
      expect(() => matter(`---${space}${spelling}\n${PAYLOAD}\n---\nbody\n`, FRONTMATTER_OPTIONS)).toThrow();
    }
    expect(hasRun()).toBe(false);
  });

  it("a language that the frontmatter or the body names is text", () => {
    const memory = parseMemory(`---\nlanguage: js\nengines: ${PAYLOAD}\nname: N\n---\n---js\n${PAYLOAD}\n---\n`);
    expect(memory.name).toBe("N");
    expect(hasRun()).toBe(false);
  });

  it("gray-matter's cache, which keeps every text for good, is never used", () => {
    const { cache } = matter as unknown as { cache: object };
    const before = Object.keys(cache);
    for (const text of ["constructor", "__proto__", "a text\n", "---\nname: N\n---\n"]) parseMemory(text);
    expect(Object.keys(cache)).toEqual(before);
  });
});
