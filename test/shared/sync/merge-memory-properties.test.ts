import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findProposalProblem } from "../../../shared/memory/assert-proposable.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { type MergeResult, mergeMemory } from "../../../shared/sync/merge-memory.ts";
import { FACE } from "./support.ts";

const word = fc.constantFrom("a", "b", "c: d", "it's", '"q', "# h", "- l", "---", "{", "");
const plain = fc.constantFrom("a", "b", '"a"', "'c: d'", "d # note");
const scalar = fc.oneof(
  { weight: 9, arbitrary: plain },
  { weight: 1, arbitrary: fc.constantFrom("|\n  # text\n\n  more", "e: f", "[", "") },
);
const items = fc.uniqueArray(fc.constantFrom("a", "b", "c", '"a"', "d e", "{f: 1}"), { maxLength: 4 });
const list = fc.oneof(
  items.map((all) => ` [${all.join(", ")}]`),
  items.map((all) => all.map((item) => `\n  - ${item}`).join("")),
  items.map((all) => all.map((item) => `\n- ${item} # note`).join("")),
);
const modified = fc
  .constantFrom("2026-01-01", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05+01:00", "soon")
  .map((value) => `modified: ${value}`);
const child = fc.oneof(toField(["type", "x", "y"], plain), modified, fc.constant("# of metadata"));
const children = fc.uniqueArray(child, { minLength: 1, maxLength: 4, selector: keyOf });
const metadata = fc.oneof(
  children.map((all) => `metadata:${all.map((line) => `\n  ${line}`).join("")}`),
  children.map((all) => `metadata: { ${all.filter((line) => !line.includes("#")).join(", ")} }`),
);
const field = fc.oneof(
  toField(["name", "description", "x"], scalar),
  toField(["tags", "also"], list),
  modified,
  metadata,
  fc.constantFrom("type: feedback", "type: project", "# comment", "", "# another"),
);

interface Memory {
  readonly fields: readonly string[];
  readonly body: readonly string[];
}

const memory: fc.Arbitrary<Memory> = fc.record({
  fields: fc
    .tuple(fc.uniqueArray(field, { maxLength: 7, selector: keyOf }), fc.boolean())
    .map(([fields, isWhole]) => (isWhole ? FACE.trimEnd().split("\n").reduce(putField, fields) : fields)),
  body: fc.array(word, { maxLength: 8 }),
});
const text = fc.oneof(
  { weight: 8, arbitrary: memory.map(toText) },
  { weight: 1, arbitrary: fc.constantFrom("", "a\n", "---\n", '---\n{"name": "a", "x": 1}\n---\na\n') },
);

/** Sides come from the base by a few edits, as they do in life, or from nowhere. */
const three = memory.chain((base) =>
  fc.tuple(fc.option(fc.constant(toText(base)), { freq: 6 }), toSide(base, "m"), toSide(base, "t")),
);

const edit = fc.record({
  at: fc.nat(12),
  removed: fc.constantFrom(0, 0, 1, 2),
  field: fc.option(field, { freq: 3 }),
  lines: fc.array(word, { maxLength: 2 }),
  part: fc.constantFrom("fields", "fields", "body"),
});

/** Half of them say in every word whose it is; the others may have made the same change. */
function toSide(base: Memory, owner: string): fc.Arbitrary<string> {
  const edited = fc.tuple(fc.array(edit, { maxLength: 3 }), fc.boolean()).map(([edits, isOwned]) => {
    const toWords = (written: string) => (isOwned ? toOwned(written, owner) : written);
    let { fields, body } = base;
    for (const { part, at, removed, field: made, lines } of edits) {
      if (part === "body") body = body.toSpliced(at % (body.length + 1), removed, ...lines.map(toWords));
      else
        fields =
          made === null ? fields.toSpliced(at % (fields.length + 1), removed) : putField(fields, toWords(made), at);
    }
    return toText({ fields, body });
  });
  return fc.oneof({ weight: 8, arbitrary: edited }, { weight: 1, arbitrary: text.map((made) => toOwned(made, owner)) });
}

function toField(keys: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...keys), value)
    .map(([key, written]) => `${key}:${/^[ \n]/.test(written) ? "" : " "}${written}`);
}

function keyOf(line: string): string {
  return line.split(":")[0] ?? "";
}

/** In place of the one with its key, or at a place of its own. */
function putField(fields: readonly string[], line: string, at: number): readonly string[] {
  const known = fields.findIndex((each) => keyOf(each) === keyOf(line));
  return known === -1 ? fields.toSpliced(at % (fields.length + 1), 0, line) : fields.with(known, line);
}

function toText({ fields, body }: Memory): string {
  return ["---", ...fields, "---", ...body, ""].join("\n");
}

function toOwned(lines: string, owner: string): string {
  let count = 0;
  return lines.replace(/\b[a-d]\b/g, () => {
    count += 1;
    return `${owner}${count}`;
  });
}

function ownedWordsIn(lines: string): readonly string[] {
  return lines.match(/\b[mt]\d+\b/g) ?? [];
}

describe("mergeMemory, whatever the texts", () => {
  it("with an unchanged side gives the other, canonical", () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        const merged = { kind: "merged", text: toCanonical(other) };
        expect(mergeMemory(base, base, other)).toEqual(merged);
        expect(mergeMemory(base, other, base)).toEqual(merged);
        expect(mergeMemory(base, other, other)).toEqual(merged);
        expect(mergeMemory(null, other, other)).toEqual(merged);
      }),
    );
  });

  it("with sides swapped swaps the roles and nothing else", () => {
    fc.assert(
      fc.property(three, ([base, mine, theirs]) => {
        expect(mergeMemory(base, theirs, mine)).toEqual(swapped(mergeMemory(base, mine, theirs)));
      }),
      { numRuns: 1_000 },
    );
  });

  it("has every word that a side added, or gives both texts back", () => {
    fc.assert(
      fc.property(three, ([base, mine, theirs]) => {
        const result = mergeMemory(base, mine, theirs);
        if (result.kind === "conflict") {
          expect(result).toMatchObject({ mine: toCanonical(mine), theirs: toCanonical(theirs) });
          return;
        }
        const known = new Set(ownedWordsIn(result.text));
        expect(ownedWordsIn(toCanonical(mine) + toCanonical(theirs)).filter((said) => !known.has(said))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is canonical, and merging it again changes nothing", () => {
    fc.assert(
      fc.property(three, ([base, mine, theirs]) => {
        const result = mergeMemory(base, mine, theirs);
        if (result.kind === "conflict") return;
        expect(toCanonical(result.text)).toBe(result.text);
        expect(mergeMemory(theirs, result.text, theirs)).toEqual(result);
        expect(mergeMemory(mine, mine, result.text)).toEqual(result);
      }),
    );
  });

  it("does not depend on line ends, byte order marks and final newlines", () => {
    const write = fc.constantFrom(
      (lines: string) => lines.replaceAll("\n", "\r\n"),
      (lines: string) => `\ufeff${lines}`,
      (lines: string) => lines.replace(/(?<=[^\n])\n$/, ""),
    );
    fc.assert(
      fc.property(three, write, write, write, ([base, mine, theirs], writeBase, writeMine, writeTheirs) => {
        const plain = [base === null ? null : toCanonical(base), toCanonical(mine), toCanonical(theirs)] as const;
        const [plainBase, plainMine, plainTheirs] = plain;
        const written = plainBase === null ? null : writeBase(plainBase);
        expect(mergeMemory(written, writeMine(plainMine), writeTheirs(plainTheirs))).toEqual(mergeMemory(...plain));
      }),
    );
  });

  it("never makes one that may not be proposed of two that may", () => {
    fc.assert(
      fc.property(three, ([base, mine, theirs]) => {
        const result = mergeMemory(base, mine, theirs);
        if (result.kind === "conflict" || [mine, theirs].some((side) => findProposalProblem(side) !== null)) return;
        expect(findProposalProblem(result.text)).toBeNull();
      }),
    );
  });

  it("has no line that none of them has, conflict markers least of all", () => {
    const bodies = fc.array(fc.constantFrom("a", "b", "c", "=======", "<<<<<<< m"), { maxLength: 10 });
    fc.assert(
      fc.property(bodies, bodies, bodies, (...sides) => {
        const [base = "", mine = "", theirs = ""] = sides.map((lines) => lines.join("\n"));
        const result = mergeMemory(base, mine, theirs);
        if (result.kind === "conflict") return;
        const known = new Set<string>(sides.flat());
        expect(result.text.split("\n").filter((line) => line !== "" && !known.has(line))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

function swapped(result: MergeResult): MergeResult {
  return result.kind === "merged" ? result : { ...result, mine: result.theirs, theirs: result.mine };
}
