import { describe, expect, it } from "vitest";
import { judgePush } from "../../../../server/git/remote/judge-push.ts";
import type { PushReport } from "../../../../server/git/remote/transport.ts";
import { TeamMemoryError } from "../../../../shared/errors/team-memory-error.ts";

const [OLD, NEW, OTHER] = ["1".repeat(40), "2".repeat(40), "3".repeat(40)];
const BASE = "refs/heads/main";
const BRANCH = "refs/heads/team-memory/x";
const UPDATES = [
  { ref: BASE, expectedOld: OLD, new: NEW },
  { ref: BRANCH, expectedOld: OLD, new: null },
];
const CUT = new TeamMemoryError("remote_unreachable", "cut");

function said(...refusals: [string, string][]): PushReport {
  return { refusals: new Map(refusals), said: "" };
}

describe("judgePush", () => {
  it.each<[string, [string, string][], PushReport | TeamMemoryError, string]>([
    ["an answer that was lost, both moved", [[BASE, NEW]], CUT, "published"],
    [
      "an answer that was lost, another was first",
      [
        [BASE, OTHER],
        [BRANCH, OLD],
      ],
      CUT,
      "lost",
    ],
    [
      "an answer that was lost, nothing moved",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      CUT,
      "remote_unreachable",
    ],
    [
      "a hook's word, another was first",
      [
        [BASE, OTHER],
        [BRANCH, OLD],
      ],
      said([BASE, "hook declined"]),
      "lost",
    ],
    ["a branch that is gone", [[BASE, OLD]], said([BASE, "atomic push failure"]), "remote_refused"],
    [
      "a hook's word",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      said([BASE, "hook declined"]),
      "remote_refused",
    ],
    [
      "a rewritten branch refused",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      said([BASE, "non-fast-forward"]),
      "remote_refused",
    ],
    [
      "a lock",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      said([BASE, "cannot lock ref"]),
      "lost",
    ],
    [
      "git's word for a lost race",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      said([BASE, "failed to update ref"]),
      "lost",
    ],
    [
      "the reason, not the filler",
      [
        [BASE, OLD],
        [BRANCH, OLD],
      ],
      said([BASE, "atomic push failure"], [BRANCH, "stale info"]),
      "lost",
    ],
  ])("takes %s for what it is", (_, now, answer, expected) => {
    expect(outcomeOf(now, answer)).toBe(expected);
  });
});

function outcomeOf(now: readonly [string, string][], answer: PushReport | TeamMemoryError): string {
  try {
    return judgePush(UPDATES, new Map(now), answer).kind;
  } catch (error) {
    return error instanceof TeamMemoryError ? error.code : String(error);
  }
}
