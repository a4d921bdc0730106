import { describe, expect, it } from "vitest";
import { resolveMerges } from "../../../../client/sync/merge/resolve-merges.ts";
import type { MergeStep } from "../../../../client/sync/pull/plan-pull.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../../shared/sync/git-ids.ts";

const KEY = sanitizePathKey("a.md");
const [MINE, THEIRS, BOTH] = ["mine\n", "theirs\n", "both\n"];
const rejected = (text: string) => ({ blob: blobIdOf(text), reason: "no", url: "u" });

function stepOf(step: Partial<MergeStep> = {}): MergeStep {
  const blobs = { base: "b", mine: blobIdOf(MINE), theirs: blobIdOf(THEIRS) };
  return { kind: "merge", key: KEY, ...blobs, source: "local", marks: {}, ...step };
}

describe("resolveMerges", () => {
  it("places the merged text over mine", () => {
    const { steps, given } = resolveMerges([stepOf()], () => ({ kind: "merged", text: BOTH }));
    expect(steps).toMatchObject([
      { kind: "place", blob: blobIdOf(BOTH), text: "given", expected: blobIdOf(MINE), because: "merged", parks: null },
    ]);
    expect(given.get(KEY)).toBe(BOTH);
  });

  it("takes the reviewed text where mine adds nothing, and leaves mine where the reviewed one adds nothing", () => {
    const theirs = resolveMerges([stepOf()], () => ({ kind: "merged", text: THEIRS })).steps;
    expect(theirs).toMatchObject([{ kind: "place", text: "remote", because: "changed", parks: null }]);
    const mine = resolveMerges([stepOf()], () => ({ kind: "merged", text: MINE })).steps;
    expect(mine).toMatchObject([{ kind: "keep", state: "changed" }]);
  });

  it("places the reviewed text and parks mine where they do not merge", () => {
    const { steps, bases } = resolveMerges([stepOf()], () => ({ kind: "conflict", base: "base\n" }));
    expect(steps).toMatchObject([{ kind: "place", text: "remote", because: "conflict", parks: "local" }]);
    expect(bases.get(KEY)).toBe("base\n");
  });

  it("parks and restores what was sent where the file is missing", () => {
    const step = stepOf({ source: "proposed" });
    const [parked] = resolveMerges([step], () => ({ kind: "conflict", base: null })).steps;
    expect(parked).toMatchObject({ kind: "place", expected: null, parks: "proposed" });
    const [restored] = resolveMerges([step], () => ({ kind: "merged", text: MINE })).steps;
    expect(restored).toMatchObject({ kind: "place", text: "proposed", expected: null, because: "restored" });
  });

  it("does not send what a reviewer said no to, merged or not, until a person edits it", () => {
    const marks = { rejected: rejected(MINE) };
    const [step] = resolveMerges([stepOf({ marks })], () => ({ kind: "merged", text: BOTH })).steps;
    expect(step?.marks).toEqual({ rejected: rejected(BOTH) });
    const edited = { rejected: rejected("older\n") };
    const [other] = resolveMerges([stepOf({ marks: edited })], () => ({ kind: "merged", text: BOTH })).steps;
    expect(other?.marks.rejected?.blob).not.toBe(blobIdOf(BOTH));
  });
});
