import { describe, expect, it } from "vitest";
import { markApart } from "../../../client/sync/mark-apart.ts";
import type { KeepStep, KeyFacts, PlaceStep, PullStep } from "../../../client/sync/plan-pull.ts";
import type { KeyMarks } from "../../../client/sync/state/marks.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("a.md");
const APART: KeyMarks = { apart: true };
const file = (blob: string): KeyFacts["local"] => ({ kind: "file", blob });
const ABSENT: KeyFacts["local"] = { kind: "absent" };
const OPEN: KeyFacts["proposed"] = { blob: "p", base: "1", isMerged: false };

function placed(step: Partial<PlaceStep>): PlaceStep {
  const plain = { blob: "2", text: "remote", expected: null, because: "changed", parks: null, marks: {} } as const;
  return { kind: "place", key: KEY, ...plain, ...step };
}

function kept(state: KeepStep["state"], marks: KeyMarks = {}): KeepStep {
  return { kind: "keep", key: KEY, state, marks };
}

interface Row {
  readonly name: string;
  readonly step: PullStep;
  readonly facts?: Partial<KeyFacts>;
  readonly isApart: boolean;
}

const ROWS: readonly Row[] = [
  { name: "the team's text in place after a conflict", step: placed({ because: "conflict" }), isApart: true },
  {
    name: "a removal that was meant for another text, over what was sent before it",
    step: placed({ because: "removal_outdated" }),
    isApart: true,
  },
  {
    name: "the team's text put back by a person, where it lies already",
    step: kept("in_sync"),
    facts: { local: file("2"), remote: "2" },
    isApart: true,
  },
  { name: "a text of unknown origin", step: kept("unknown"), facts: { local: file("m") }, isApart: true },
  {
    name: "an edit of the team's text in place of mine",
    step: kept("changed", APART),
    facts: { local: file("m") },
    isApart: true,
  },
  { name: "nothing, after the team's text in place of mine was removed", step: kept("removal", APART), isApart: true },
  {
    name: "such an edit, merged with what the team changed",
    step: placed({ text: "given", because: "merged", expected: "m", marks: APART }),
    facts: { local: file("m") },
    isApart: true,
  },
  {
    name: "a text that a person chose",
    step: placed({ text: "given", because: "chosen", expected: "2" }),
    facts: { local: file("2") },
    isApart: true,
  },
  {
    name: "what was sent, chosen by a person",
    step: placed({ blob: "p", text: "given", because: "chosen", expected: "2" }),
    facts: { local: file("2") },
    isApart: false,
  },
  {
    name: "mine merged with what the team changed",
    step: placed({ text: "given", because: "merged", expected: "p" }),
    facts: { local: file("p") },
    isApart: false,
  },
  { name: "an edit of mine", step: kept("changed"), facts: { local: file("m") }, isApart: false },
  {
    name: "what was sent, put back",
    step: placed({ blob: "p", text: "proposed", because: "restored", marks: APART }),
    isApart: false,
  },
  {
    name: "what was sent of a missing file, merged with what the team changed",
    step: placed({ text: "given", because: "merged", marks: APART }),
    isApart: false,
  },
  {
    name: "what was sent, written here once more",
    step: kept("changed", APART),
    facts: { local: file("p") },
    isApart: false,
  },
  {
    name: "the team's text, once what was proposed has merged",
    step: kept("in_sync", APART),
    facts: { local: file("p"), proposed: { blob: "p", isMerged: true } },
    isApart: false,
  },
  {
    name: "the team's text, with nothing proposed",
    step: placed({ because: "conflict", marks: APART }),
    facts: { proposed: null },
    isApart: false,
  },
  {
    name: "a file whose removal is proposed",
    step: placed({ because: "restored" }),
    facts: { proposed: { blob: null, base: "1", isMerged: false } },
    isApart: false,
  },
];

describe("markApart", () => {
  it.each(ROWS)("$name: apart $isApart", ({ step, facts, isApart }) => {
    const { marks } = step;
    const whole: KeyFacts = { key: KEY, base: "1", remote: "2", local: ABSENT, proposed: OPEN, marks, ...facts };
    const [marked] = markApart([step], [whole]);
    expect(marked?.marks).toEqual(isApart ? APART : {});
  });

  it("leaves a key that nothing was gathered of without the mark, and all others of its marks", () => {
    const [marked] = markApart([kept("changed", { ...APART, restore: true })], []);
    expect(marked?.marks).toEqual({ restore: true });
  });
});
