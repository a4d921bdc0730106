import { describe, expect, it } from "vitest";
import type { PushStep } from "../../../../client/sync/push/plan-push.ts";
import { type Refusals, withhold } from "../../../../client/sync/push/withhold.ts";
import type { KeyMarks } from "../../../../client/sync/state/marks.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";

const KEY = sanitizePathKey("a.md");
const SEND: PushStep = { kind: "send", key: KEY, blob: "t" };
const RESEND: PushStep = { kind: "resend", key: KEY, because: "missing" };

interface Situation {
  readonly refused?: { readonly blob: string; readonly proposal: string | null };
  readonly count?: number;
  readonly isSent?: boolean;
  readonly isNamed?: boolean;
}

function toRefusals({ refused, count, isSent = false, isNamed = false }: Situation): Refusals {
  const marks: KeyMarks =
    refused === undefined ? {} : { refused: { ...refused, code: "stale_text", message: "Cannot add it again" } };
  return {
    marks: new Map([[KEY, marks]]),
    proposal: "open",
    counts: new Map(count === undefined ? [] : [[KEY, count]]),
    named: new Set(isNamed ? [KEY] : []),
    isSent: () => isSent,
  };
}

describe("withhold", () => {
  it.each([
    { name: "sends what nobody refused", step: SEND, situation: {}, kind: "send" },
    {
      name: "sends what was refused as another text",
      step: SEND,
      situation: { refused: { blob: "s", proposal: null } },
      kind: "send",
    },
    {
      name: "holds what any proposal would be refused for",
      step: SEND,
      situation: { refused: { blob: "t", proposal: null } },
      kind: "hold",
    },
    {
      name: "holds what this proposal was refused for",
      step: SEND,
      situation: { refused: { blob: "t", proposal: "open" } },
      kind: "hold",
    },
    {
      name: "sends what an ended proposal was refused for",
      step: SEND,
      situation: { refused: { blob: "t", proposal: "ended" } },
      kind: "send",
    },
    {
      name: "sends what a person names",
      step: SEND,
      situation: { refused: { blob: "t", proposal: null }, isNamed: true },
      kind: "send",
    },
    { name: "keeps what was sent before", step: SEND, situation: { count: 1, isSent: true }, kind: "resend" },
    { name: "holds what was refused twice", step: SEND, situation: { count: 2, isSent: true }, kind: "hold" },
    {
      name: "holds what was refused as it was sent before",
      step: RESEND,
      situation: { count: 1, isSent: true },
      kind: "hold",
    },
    { name: "sends again what was sent before", step: RESEND, situation: { isSent: true }, kind: "resend" },
  ] satisfies { name: string; step: PushStep; situation: Situation; kind: string }[])("$name", (row) => {
    expect(withhold(row.step, toRefusals(row.situation)).kind).toBe(row.kind);
  });
});
