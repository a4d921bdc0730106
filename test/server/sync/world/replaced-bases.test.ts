import { describe, expect, it } from "vitest";
import { BASES_FILE } from "../../../../server/sync/world/bases-file.ts";
import type { AcceptedBase } from "../../../../server/sync/world/hold.ts";
import { buildReplacedBases } from "../../../../server/sync/world/replaced-bases.ts";
import { TeamMemoryError } from "../../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { SHOP } from "../support.ts";

const id = (at: number) => at.toString(16).padStart(40, "0");
const accepted = (from: number, project: AcceptedBase["project"] = null): AcceptedBase => ({
  ...{ project, from: id(from), to: id(1_000_000), by: "rita", at: "2026-03-05T10:00:00.000Z" },
});

/** Commits in one line, each the child of the one whose number is one less; none is here below 1. */
function openLine(rows: readonly AcceptedBase[]) {
  const reads: string[] = [];
  const readCommit = async (commit: string) => {
    reads.push(commit);
    const at = Number.parseInt(commit, 16);
    if (at === 0) throw new TeamMemoryError("not_found", "Could not find it");
    return { parents: [id(at - 1)] };
  };
  const read = async () => ({ ...BASES_FILE.empty, accepted: rows });
  return { reads, has: buildReplacedBases({ git: { readCommit }, state: { read } } as never) };
}

describe("buildReplacedBases", () => {
  it("knows a replaced base and what led to it, read once, and nothing of a project's own rows", async () => {
    const { has, reads } = openLine([accepted(3), accepted(50, SHOP)]);
    expect(await Promise.all([3, 2, 1, 4, 50, 49].map((at) => has(id(at))))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(reads).toHaveLength(4);
  });

  it("knows the base itself where its commits are not here", async () => {
    expect(await openLine([accepted(0)]).has(id(0))).toBe(true);
  });

  it("goes back as far as its bound", async () => {
    const { has } = openLine([accepted(10_000)]);
    const oldest = 10_000 - LIMITS.replacedRevisionsMax + 1;
    expect([await has(id(oldest)), await has(id(oldest - 1))]).toEqual([true, false]);
  });
});
