import { describe, expect, it } from "vitest";
import { markApart } from "../../../../client/sync/pull/mark-apart.ts";
import type { KeepStep, KeyFacts, PlaceStep, PullStep } from "../../../../client/sync/pull/plan-pull.ts";
import type { KeyMarks } from "../../../../client/sync/state/marks.ts";
import type { OpenProposal } from "../../../../client/sync/state/outbox.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("a.md");
const APART: KeyMarks = { apart: true };
const file = (blob: string): KeyFacts["local"] => ({ kind: "file", blob });
const ABSENT: KeyFacts["local"] = { kind: "absent" };
const OPEN = openWith("p");

function openWith(blob: string | null, earlier: OpenProposal["earlier"] = []): OpenProposal {
  const changes = [{ key: KEY, blob, text: blob, base: "1", baseBlob: "1" }];
  return { id: "P", seq: 2, changes, restore: [], acknowledged: null, earlier };
}

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
  /** `p` was sent, where nothing else is said. */
  readonly open?: OpenProposal | null;
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
    name: "the team's text, once no proposal is open",
    step: placed({ because: "conflict", marks: APART }),
    open: null,
    isApart: false,
  },
  {
    name: "the team's text of a key that was not sent",
    step: placed({}),
    open: { ...OPEN, changes: [] },
    isApart: false,
  },
  {
    name: "an edit of the team's text, once a removal was sent that may be lost",
    step: kept("changed", APART),
    facts: { local: file("m") },
    open: openWith(null, [{ seq: 1, changes: [{ key: KEY, blob: "p" }] }]),
    isApart: true,
  },
  {
    name: "an edit of the team's text that was sent, and may be lost: an outcome may be about the one before",
    step: kept("changed", APART),
    facts: { local: file("m") },
    open: openWith("m", [{ seq: 1, changes: [{ key: KEY, blob: "p" }] }]),
    isApart: true,
  },
  {
    name: "the team's text, once a set without the key was sent that may be lost",
    step: placed({}),
    open: { ...OPEN, changes: [], earlier: [{ seq: 1, changes: [{ key: KEY, blob: "p" }] }] },
    isApart: true,
  },
];

describe("markApart", () => {
  it.each(ROWS)("$name: apart $isApart", ({ step, facts, open = OPEN, isApart }) => {
    const { marks } = step;
    const whole: KeyFacts = { key: KEY, base: "1", remote: "2", local: ABSENT, proposed: null, marks, ...facts };
    const [marked] = markApart([step], [whole], open);
    expect(marked?.marks).toEqual(isApart ? APART : {});
  });

  it("leaves a key that nothing was gathered of without the mark, and all others of its marks", () => {
    const restore = { restore: { blob: "p" } };
    const [marked] = markApart([kept("changed", { ...APART, ...restore })], [], OPEN);
    expect(marked?.marks).toEqual(restore);
  });
});
