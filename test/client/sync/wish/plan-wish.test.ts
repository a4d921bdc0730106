import { describe, expect, it } from "vitest";
import type { KeyFacts } from "../../../../client/sync/pull/plan-pull.ts";
import { planWish } from "../../../../client/sync/wish/plan-wish.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../../shared/sync/git-ids.ts";

const KEY = sanitizePathKey("a.md");
const TEXT = "text\n";
const BLOB = blobIdOf(TEXT);
const MARKS: KeyFacts["marks"] = { conflict: { attic: "p" }, rejected: { blob: "m", reason: null, url: "u" } };

type Facts = Partial<Omit<KeyFacts, "key" | "marks">>;

function facts(some: Facts): KeyFacts {
  return { key: KEY, base: null, remote: null, local: { kind: "absent" }, proposed: null, ...some, marks: MARKS };
}

const file = (blob: string): KeyFacts["local"] => ({ kind: "file", blob });

describe("planWish to revert", () => {
  const ROWS: readonly { name: string; facts: Facts; step: object }[] = [
    {
      name: "puts the team's text in place of mine",
      facts: { remote: "r", local: file("m") },
      step: { kind: "place", blob: "r", text: "remote", expected: "m" },
    },
    {
      name: "puts the team's text where none is",
      facts: { remote: "r" },
      step: { kind: "place", blob: "r", expected: null },
    },
    {
      name: "keeps what is as the team has it",
      facts: { remote: "r", local: file("r") },
      step: { kind: "keep", state: "in_sync" },
    },
    { name: "removes what the team has removed", facts: { local: file("m") }, step: { kind: "remove", expected: "m" } },
    { name: "is done where neither has any", facts: {}, step: { kind: "keep", state: "absent" } },
  ];

  it.each(ROWS)("$name, and forgets what was remembered of it", ({ facts: some, step }) => {
    expect(planWish(facts(some), { kind: "revert", key: KEY })).toEqual(
      expect.objectContaining({ ...step, marks: {} }),
    );
  });
});

describe("planWish to take a text", () => {
  const ROWS: readonly { name: string; facts: Facts; step: object }[] = [
    {
      name: "puts it in place of what lies there",
      facts: { remote: "r", local: file("m") },
      step: { kind: "place", blob: BLOB, text: "given", expected: "m", marks: {} },
    },
    {
      name: "takes the team's copy where that is the same text",
      facts: { remote: BLOB, local: file("m") },
      step: { kind: "place", text: "remote", marks: {} },
    },
    {
      name: "keeps it where it lies there already",
      facts: { remote: "r", local: file(BLOB) },
      step: { kind: "keep", state: "changed", marks: {} },
    },
    {
      name: "is in sync where it lies there, and at the team's",
      facts: { remote: BLOB, local: file(BLOB) },
      step: { kind: "keep", state: "in_sync", marks: {} },
    },
    {
      name: "brings it back on purpose where the team has none",
      facts: {},
      step: { kind: "place", blob: BLOB, expected: null, marks: { restore: { blob: BLOB } } },
    },
  ];

  it.each(ROWS)("$name", ({ facts: some, step }) => {
    expect(planWish(facts(some), { kind: "take", key: KEY, text: TEXT })).toMatchObject(step);
  });

  it("grants nothing where what lies there cannot be moved", () => {
    const blocked = facts({ remote: "r", local: { kind: "blocked", because: "not_a_file" } });
    expect(planWish(blocked, { kind: "take", key: KEY, text: TEXT })).toBeNull();
    expect(planWish(blocked, { kind: "revert", key: KEY })).toBeNull();
  });
});
