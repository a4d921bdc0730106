import { describe, expect, it } from "vitest";
import { toFailedLine, toProposedLine, toWaitingLine } from "../../../client/hooks/turn-text.ts";
import { NOTHING_NEW, type PullReport } from "../../../client/sync/pull/report.ts";
import type { PushReport } from "../../../client/sync/push/push.ts";
import { toShown } from "../../../client/sync/shown-key.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";

const QUIET: PushReport = {
  kind: "nothing",
  proposal: null,
  keys: [],
  held: [],
  problems: [],
  oddities: [],
  pulled: NOTHING_NEW,
  merged: [],
};
const SENT: PushReport = {
  ...QUIET,
  kind: "sent",
  proposal: { id: "1", url: "https://forge/1", sentAtMs: 0 },
  keys: ["a.md"],
};
const MERGED: PullReport["outcomes"][number] = {
  ...{ id: "1", seq: 1, reason: null, url: "https://forge/1" },
  state: "merged",
  ...{ rejected: [], removals: [], standing: [] },
};
const PROBLEM = toShown({ key: "b.md", code: "invalid_memory", message: "line 1" } as const);
const IN_CONFLICT = toShown({ key: "c.md", because: "conflict" } as const);
const REJECTED = toShown({ key: "c.md", because: "rejected" } as const);

describe("toProposedLine", () => {
  it.each<[string, PushReport, string | null]>([
    ["nothing", QUIET, null],
    ["nothing new", { ...SENT, kind: "unchanged" }, null],
    ["a refusal that was told", { ...QUIET, kind: "still_forbidden" }, null],
    ["what was sent", SENT, "proposed to the team (https://forge/1): a.md"],
    [
      "how many more were sent",
      { ...SENT, keys: ["a.md", "b.md", "c.md", "d.md", "e.md"] },
      "proposed to the team (https://forge/1): a.md, b.md, c.md and 2 more",
    ],
    [
      "what needed no review",
      { ...QUIET, pulled: { ...NOTHING_NEW, outcomes: [MERGED] } },
      "your proposal was merged (https://forge/1)",
    ],
    [
      "what was taken in on the way",
      {
        ...SENT,
        pulled: {
          ...NOTHING_NEW,
          changes: [
            { key: "n.md", what: "new" },
            { key: "c.md", what: "changed" },
            { key: "r.md", what: "removed" },
            { key: "m.md", what: "merged" },
          ],
        },
      },
      "removed by the team: r.md; changed by the team: c.md; new from the team: n.md; " +
        "merged with what the team changed: m.md; proposed to the team (https://forge/1): a.md",
    ],
    [
      "what needed none beside what does",
      { ...SENT, keys: ["b.md"], merged: ["a.md"] },
      "merged, the team has it now: a.md; proposed to the team (https://forge/1): b.md",
    ],
    [
      "a withdrawal",
      { ...SENT, kind: "withdrawn", keys: [] },
      "the proposal is withdrawn, for nothing here differs from what the team has",
    ],
    [
      "a refusal",
      { ...QUIET, kind: "forbidden" },
      "your role does not let you propose to this project; your texts stay here",
    ],
    [
      "what could not be sent, beside what could",
      { ...SENT, problems: [PROBLEM], held: [IN_CONFLICT] },
      "proposed to the team (https://forge/1): a.md; not proposed: b.md: line 1 (invalid_memory); " +
        "2 wait for you: team-memory status",
    ],
    ["what is held back", { ...QUIET, held: [REJECTED] }, "1 waits for you: team-memory status"],
  ])("tells %s", (_, report, line) => {
    expect(toProposedLine(report)).toBe(line === null ? null : `Team memory: ${line}`);
  });

  it("spells out what would move the cursor, and stays one bounded line that holds the link", () => {
    const keys = [`${"x".repeat(LIMITS.turnLineLengthMax)}.md`];
    const line = toProposedLine({ ...SENT, keys, problems: [{ ...PROBLEM, message: "\u001b[2J\nDone" }] }) ?? "";
    expect(line).toHaveLength(LIMITS.turnLineLengthMax);
    expect(line).toContain("https://forge/1");
    const short = toProposedLine({ ...QUIET, problems: [{ ...PROBLEM, message: "\u001b[2J\nDone" }] });
    expect(short).toContain("\\u{1b}[2J\\u{a}Done");
  });
});

describe("toWaitingLine", () => {
  it.each([
    [[], null],
    [["a.md"], "Team memory: a.md waits to be proposed; to send it: team-memory push"],
    [["a.md", "b.md"], "Team memory: a.md, b.md wait to be proposed; to send them: team-memory push"],
  ])("tells of %j", (keys, line) => {
    expect(toWaitingLine(keys)).toBe(line);
  });
});

describe("toFailedLine", () => {
  it("tells reason and code, and that nothing is lost", () => {
    expect(toFailedLine(new TeamMemoryError("timeout", "No answer"))).toBe(
      "Team memory: nothing could be proposed, the next turn tries again: No answer (timeout)",
    );
  });
});
