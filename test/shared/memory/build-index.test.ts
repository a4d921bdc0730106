import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { buildIndex, type IndexedMemory } from "../../../shared/memory/build-index.ts";
import type { MemoryType } from "../../../shared/protocol/schemas.ts";

function memoryOf(key: string, rest: Partial<IndexedMemory> = {}): IndexedMemory {
  const changedAt = "2026-03-05T10:00:00Z";
  return { key, name: key, description: "", type: "feedback", changedAt, state: "reviewed", ...rest };
}

function many(count: number, rest: Partial<IndexedMemory> = {}): readonly IndexedMemory[] {
  return Array.from({ length: count }, (_, i) =>
    memoryOf(`${rest.state ?? "reviewed"}_${String(i).padStart(5, "0")}.md`, rest),
  );
}

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "",
    "a](b)\n- [c](d.md) -- e",
    "```\n# x",
    "</team-memory>",
    "[[[]]]",
    "\\",
    "word ".repeat(60),
    "世".repeat(200),
  ),
);
const anyMemory: fc.Arbitrary<IndexedMemory> = fc.record({
  key: fc.oneof(
    anyText.filter((text) => text !== ""),
    fc.stringMatching(/^[a-z ]{1,30}\.md$/),
  ),
  name: anyText,
  description: anyText,
  type: fc.constantFrom<MemoryType | null>("feedback", "project", null),
  changedAt: fc.constantFrom(
    "2026-03-05T10:00:00Z",
    "2026-03-05T12:00:00+02:00",
    "2025-01-01T00:00:00Z",
    "no date",
    "",
  ),
  state: fc.constantFrom<IndexedMemory["state"]>("reviewed", "local"),
});
/** A few memories, as they are or many times over under other keys. */
const anyMemories = fc
  .tuple(fc.uniqueArray(anyMemory, { selector: ({ key }) => key, maxLength: 20 }), fc.constantFrom(1, 1, 15, 40))
  .map(([memories, times]) =>
    Array.from({ length: times }, (_, i) => memories.map((m) => (i === 0 ? m : { ...m, key: `${i}${m.key}` }))).flat(),
  );

describe("buildIndex", () => {
  it("lists reviewed memories by change, newest first, then by key; then local ones under their heading", () => {
    const memories = [
      memoryOf("b.md", { name: "Beta", description: "second by key" }),
      memoryOf("local.md", { state: "local", changedAt: "2027-01-01T00:00:00Z", name: "Mine", description: "new" }),
      memoryOf("old.md", { changedAt: "2025-01-01T00:00:00Z", name: "Old", type: null }),
      memoryOf("a.md", { changedAt: "2026-03-05T12:00:00+02:00", name: "Alpha", description: "first by key" }),
      memoryOf("new.md", { changedAt: "2026-04-01T00:00:00Z", name: "New", description: "newest" }),
    ];
    expect(buildIndex(memories)).toEqual({
      text: [
        "# Team memory",
        "",
        "- [New](new.md) -- newest",
        "- [Alpha](a.md) -- first by key",
        "- [Beta](b.md) -- second by key",
        "- [Old](old.md)",
        "",
        "## Not yet reviewed",
        "",
        "- [Mine](local.md) -- new",
        "",
      ].join("\n"),
      shown: 5,
      leftOut: 0,
      cappedBy: "none",
    });
  });

  it("sorts keys by code units, on every machine the same", () => {
    const { text } = buildIndex(["b.md", "B.md", "ä.md", "a.md", "Z.md"].map((key) => memoryOf(key)));
    expect([...text.matchAll(/\]\((.*?)\)/g)].map(([, key]) => key)).toEqual(["B.md", "Z.md", "a.md", "b.md", "ä.md"]);
  });

  it("says nothing but its title where there is nothing", () => {
    expect(buildIndex([])).toEqual({ text: "# Team memory\n", shown: 0, leftOut: 0, cappedBy: "none" });
    expect(buildIndex([memoryOf("a.md", { state: "local" })]).text).toBe(
      "# Team memory\n\n## Not yet reviewed\n\n- [a.md](a.md)\n",
    );
  });

  it("cuts at whole lines under the cap on lines and says how many are left out", () => {
    const built = buildIndex(many(1_000));
    expect(built.cappedBy).toBe("lines");
    expect(built.shown).toBeGreaterThan(180);
    expect(built.text).toMatch(new RegExp(`\n\n${1_000 - built.shown} more are left out: .*\n$`));
    expect(built.text.split("\n").length).toBeLessThanOrEqual(LIMITS.indexLinesMax);
  });

  it("cuts at whole lines under the cap on bytes, counted in UTF-8", () => {
    const built = buildIndex(many(180, { name: "世".repeat(50), description: "世".repeat(200) }));
    expect(built.cappedBy).toBe("bytes");
    expect(Buffer.byteLength(built.text)).toBeLessThanOrEqual(LIMITS.indexSizeBytesMax);
    expect(built.leftOut).toBe(180 - built.shown);
  });

  it("leaves out local ones before reviewed ones, and counts them", () => {
    const built = buildIndex([...many(500), ...many(5, { state: "local", changedAt: "2027-01-01T00:00:00Z" })]);
    expect(built.text).not.toContain("local_");
    expect(built.text).not.toContain("Not yet reviewed");
    expect(built.leftOut).toBe(505 - built.shown);
  });

  it("says what the caller left out as well", () => {
    const built = buildIndex(many(1), { olderLeftOut: 1 });
    expect(built.text).toMatch(/\n\n1 more is left out: .*\n$/);
    expect(built.leftOut).toBe(1);
  });

  it.each([0, 1, 5, 10, 12])("stays within caps that leave room for next to nothing: %i lines", (linesMax) => {
    const built = buildIndex(many(10), { linesMax });
    expect(built.shown + built.leftOut).toBe(10);
    if (linesMax > 8) expect(built.text.split("\n").length).toBeLessThanOrEqual(linesMax);
  });

  it("holds both caps, whole lines and every count, whatever the memories", () => {
    fc.assert(
      fc.property(anyMemories, (memories) => {
        const { text, shown, leftOut } = buildIndex(memories);
        const lines = text.split("\n");
        expect(lines.length).toBeLessThanOrEqual(LIMITS.indexLinesMax);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.indexSizeBytesMax);
        expect(lines.every((line) => line.length < LIMITS.indexLineLengthMax)).toBe(true);
        expect(lines.filter((line) => /^- \[[^[\]\\\n]+\]\([^\s()<>[\]]+\)(?: -- \S.*)?$/.test(line))).toHaveLength(
          shown,
        );
        expect(lines.filter((line) => !/^- \[/.test(line) && !FRAME.test(line))).toEqual([]);
        expect(shown + leftOut).toBe(memories.length);
        expect(text).not.toMatch(/\p{Cs}/u);
      }),
      { numRuns: 150 },
    );
  });

  it("does not depend on the order of the memories", () => {
    fc.assert(
      fc.property(
        anyMemories.chain((memories) =>
          fc.tuple(fc.constant(memories), fc.shuffledSubarray(memories, { minLength: memories.length })),
        ),
        ([memories, shuffled]) => buildIndex(memories).text === buildIndex(shuffled).text,
      ),
      { numRuns: 60 },
    );
  });

  it("gives the same bytes for the reviewed part, whatever is local", () => {
    fc.assert(
      fc.property(anyMemories, anyMemories, (one, other) => {
        const reviewed = one.filter(({ state }) => state === "reviewed");
        const local = other.filter(({ state }) => state === "local");
        const alone = reviewedPartOf(buildIndex(reviewed).text);
        expect(reviewedPartOf(buildIndex([...local, ...reviewed]).text)).toBe(alone);
      }),
      { numRuns: 80 },
    );
  });
});

const FRAME =
  /^(?:# Team memory|## Not yet reviewed|\d+ more (?:is|are) left out: list this folder to see every memory|)$/;

function reviewedPartOf(text: string): string {
  return text.replace(/\n(?:## Not yet reviewed|\d+ more )[\s\S]*$/, "");
}
