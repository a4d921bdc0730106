import { describe, expect, it } from "vitest";
import { type KeyFacts, type PlannedStep, planPull } from "../../../../client/sync/pull/plan-pull.ts";
import type { KeyMarks } from "../../../../client/sync/state/marks.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("a.md");
const file = (blob: string): KeyFacts["local"] => ({ kind: "file", blob });
const ABSENT: KeyFacts["local"] = { kind: "absent" };
const open = (blob: string | null, base: string | null = "1"): KeyFacts["proposed"] => ({
  blob,
  base,
  isMerged: false,
});
const merged = (blob: string | null): KeyFacts["proposed"] => ({ blob, isMerged: true });
const remark = (marks: KeyMarks) => marks;

interface Row {
  readonly name: string;
  readonly facts: Partial<Omit<KeyFacts, "key">>;
  readonly step: Partial<Record<string, unknown>>;
  readonly isFirst?: boolean;
}

const ROWS: readonly Row[] = [
  {
    name: "same here, changed there: taken",
    facts: { base: "1", remote: "2", local: file("1") },
    step: { kind: "place", blob: "2", text: "remote", expected: "1", because: "changed", parks: null },
  },
  {
    name: "same here, gone there: removed",
    facts: { base: "1", local: file("1") },
    step: { kind: "remove", expected: "1" },
  },
  {
    name: "nothing here, new there: taken",
    facts: { remote: "2" },
    step: { kind: "place", blob: "2", expected: null, because: "new" },
  },
  {
    name: "changed here, same there: kept",
    facts: { base: "1", remote: "1", local: file("m") },
    step: { kind: "keep", state: "changed" },
  },
  {
    name: "changed here and there: merged from the pristine copy",
    facts: { base: "1", remote: "2", local: file("m") },
    step: { kind: "merge", base: "1", mine: "m", theirs: "2", source: "local" },
  },
  {
    name: "changed here after what was proposed has merged: merged from what was proposed",
    facts: { base: "1", remote: "2", local: file("m"), proposed: merged("p") },
    step: { kind: "merge", base: "p", mine: "m", theirs: "2" },
  },
  {
    name: "changed here while the proposal is open: merged from the pristine copy",
    facts: { base: "1", remote: "2", local: file("m"), proposed: open("p") },
    step: { kind: "merge", base: "1", mine: "m", theirs: "2" },
  },
  {
    name: "what was proposed, merged with a reviewer's touches: taken",
    facts: { base: "1", remote: "2", local: file("p"), proposed: merged("p") },
    step: { kind: "place", blob: "2", expected: "p", because: "changed" },
  },
  {
    name: "changed here after a removal of it has merged: kept, as removed by the team",
    facts: { base: "1", local: file("m"), proposed: merged(null) },
    step: { kind: "keep", state: "removed_by_team" },
  },
  {
    name: "changed here, gone there: kept, and held",
    facts: { base: "1", local: file("m") },
    step: { kind: "keep", state: "removed_by_team", marks: { held: { blob: "m", because: "removed_by_team" } } },
  },
  {
    name: "removed by the team, and edited since: to be proposed again",
    facts: { local: file("m2"), marks: remark({ held: { blob: "m", because: "removed_by_team" } }) },
    step: { kind: "keep", state: "new", marks: {} },
  },
  {
    name: "new on both sides, equal: in sync",
    facts: { remote: "2", local: file("2") },
    step: { kind: "keep", state: "in_sync" },
  },
  {
    name: "new on both sides, different: merged from nothing",
    facts: { remote: "2", local: file("m") },
    step: { kind: "merge", base: null, mine: "m", theirs: "2" },
  },
  {
    name: "found here by a first pull, unknown to the team: not sent by itself",
    facts: { local: file("m") },
    isFirst: true,
    step: { kind: "keep", state: "unknown", marks: { held: { blob: "m", because: "unknown" } } },
  },
  {
    name: "missing here, the same there: restored",
    facts: { base: "1", remote: "1" },
    step: { kind: "place", blob: "1", expected: null, because: "restored" },
  },
  {
    name: "missing here while proposed: restored to what was proposed",
    facts: { base: "1", remote: "1", proposed: open("p") },
    step: { kind: "place", blob: "p", text: "proposed", expected: null, because: "restored" },
  },
  {
    name: "missing here while proposed, changed there: what was proposed is merged",
    facts: { base: "1", remote: "2", proposed: open("p") },
    step: { kind: "merge", base: "1", mine: "p", theirs: "2", source: "proposed" },
  },
  {
    name: "missing here while proposed, the base merged here meanwhile: merged from what the proposal started from",
    facts: { base: "2", remote: "2", proposed: open("p", "1") },
    step: { kind: "merge", base: "1", mine: "p", theirs: "2", source: "proposed" },
  },
  {
    name: "the reviewed text of a conflict edited here, after mine has merged: merged from the reviewed text",
    facts: {
      base: "1",
      remote: "p",
      local: file("m"),
      proposed: merged("p"),
      marks: remark({ conflict: { attic: "x" }, apart: true }),
    },
    step: { kind: "merge", base: "1", mine: "m", theirs: "p" },
  },
  {
    name: "mine put back after a conflict and edited here, after it has merged: merged from mine",
    facts: {
      base: "1",
      remote: "2",
      local: file("m"),
      proposed: merged("p"),
      marks: remark({ conflict: { attic: "x" } }),
    },
    step: { kind: "merge", base: "p", mine: "m", theirs: "2" },
  },
  {
    name: "mine here again after the team's was placed, merged with a reviewer's touches: taken",
    facts: { base: "1", remote: "2", local: file("p"), proposed: merged("p"), marks: remark({ apart: true }) },
    step: { kind: "place", blob: "2", expected: "p", because: "changed" },
  },
  {
    name: "a text of unknown origin, after mine has merged: no edit of mine",
    facts: {
      remote: "p",
      local: file("m"),
      proposed: merged("p"),
      marks: remark({ held: { blob: "m", because: "unknown" }, apart: true }),
    },
    step: { kind: "merge", base: null, mine: "m", theirs: "p" },
  },
  {
    name: "the reviewed text in place after a conflict, while mine has merged: taken, no edit of anybody's",
    facts: { base: "1", remote: "2", local: file("1"), proposed: merged("p") },
    step: { kind: "place", blob: "2", expected: "1", because: "changed" },
  },
  {
    name: "missing here, gone there: forgotten",
    facts: { base: "1" },
    step: { kind: "keep", state: "absent" },
  },
  {
    name: "missing here, gone there, while proposed: restored to what was proposed",
    facts: { base: "1", proposed: open("p") },
    step: { kind: "place", blob: "p", text: "proposed", because: "restored" },
  },
  {
    name: "to be removed, the same there: a removal",
    facts: { base: "1", remote: "1", marks: remark({ removal: { blob: "1" } }) },
    step: { kind: "keep", state: "removal" },
  },
  {
    name: "to be removed, changed there: it was meant for another text",
    facts: { base: "1", remote: "2", marks: remark({ removal: { blob: "1" } }) },
    step: { kind: "place", blob: "2", because: "removal_outdated", marks: {} },
  },
  {
    name: "taken away here before it was reviewed, approved there: it is the team's now",
    facts: { remote: "2", marks: remark({ removal: { blob: null } }) },
    step: { kind: "place", blob: "2", because: "approved_meanwhile", marks: {} },
  },
  {
    name: "to be removed, gone there: done",
    facts: { base: "1", marks: remark({ removal: { blob: "1" } }) },
    step: { kind: "keep", state: "absent", marks: {} },
  },
  {
    name: "to be removed, and written again: the removal is void",
    facts: { base: "1", remote: "1", local: file("m"), marks: remark({ removal: { blob: "1" } }) },
    step: { kind: "keep", state: "changed", marks: {} },
  },
  {
    name: "a folder in its place: not placed, and planned from the same base again",
    facts: { base: "1", remote: "2", local: { kind: "blocked", because: "not_a_file" } },
    step: { kind: "unplaced", marks: { unplaced: { base: "1", because: "not_a_file" } } },
  },
];

describe("planPull", () => {
  it.each(ROWS)("$name", ({ facts, step, isFirst = false }) => {
    expect(planOne(facts, isFirst)).toMatchObject({ key: KEY, ...step });
  });

  it("holds many removals at once, and each is planned again from what would have been removed", () => {
    const facts = Array.from({ length: LIMITS.removalsUnaskedMax + 1 }, (_, index) => ({
      ...{ key: sanitizePathKey(`${index}.md`), remote: null, marks: {} },
      ...(index === 0 ? { base: null, local: file("p"), proposed: merged("p") } : { base: "1", local: file("1") }),
    }));
    const keys = facts.map((one): KeyFacts => ({ proposed: null, ...one }));
    const steps = planPull(keys, { isFirst: false, isUnsure: false, placedFiles: keys.length, acceptRemovals: false });
    expect(steps.map(({ kind, marks }) => [kind, marks.unplaced?.base])).toEqual(
      keys.map((_, index) => ["unplaced", index === 0 ? "p" : "1"]),
    );
  });

  it("parks no text and places none that nobody named", () => {
    for (const facts of everyFacts()) {
      const step = planOne(facts, false);
      if (step?.kind !== "place") continue;
      const known = [facts.base, facts.remote, facts.proposed?.blob ?? null];
      expect(known).toContain(step.blob);
      expect(step.expected).toBe(facts.local.kind === "file" ? facts.local.blob : null);
    }
  });

  it("never displaces or removes a text that was neither received nor sent", () => {
    for (const facts of everyFacts()) {
      const step = planOne(facts, false);
      if (step?.kind !== "place" && step?.kind !== "remove") continue;
      const mine = facts.local.kind === "file" ? facts.local.blob : null;
      expect([null, facts.base, facts.proposed?.blob]).toContain(mine);
    }
  });
});

function planOne(facts: Partial<Omit<KeyFacts, "key">>, isFirst: boolean): PlannedStep | undefined {
  const whole = { key: KEY, base: null, remote: null, local: ABSENT, proposed: null, marks: {}, ...facts };
  return planPull([whole], { isFirst, isUnsure: false, placedFiles: 1, acceptRemovals: false })[0];
}

/** Every combination of three texts in every place. */
function everyFacts(): Omit<KeyFacts, "key">[] {
  const blobs = [null, "1", "2", "3"];
  return blobs.flatMap((base) =>
    blobs.flatMap((remote) =>
      blobs.flatMap((here) =>
        [null, open("1"), open("3"), open(null), merged("1"), merged("3"), merged(null)].map((proposed) => {
          const local = here === null ? ABSENT : file(here);
          return { base, remote, local, proposed, marks: {} };
        }),
      ),
    ),
  );
}
