import { describe, expect, it } from "vitest";
import { type Hold, planAccept, planHeld, toHoldWords } from "../../../../server/sync/world/hold.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { SHOP } from "../support.ts";

const NONE = { format: 1, held: [], accepted: [] } as const;
const id = (digit: number) => digit.toString(16).padStart(40, "0");
const hold = (at: number): Hold => ({ project: SHOP, from: id(at), to: id(at + 1), revision: id(at), lost: 6, of: 7 });
const RITA = { by: "rita", at: "2026-03-05T10:00:00.000Z" };

describe("planHeld", () => {
  it("keeps as many as the state has room for, and the value itself where nothing changes", () => {
    const holds = Array.from({ length: LIMITS.heldBasesMax + 1 }, (_, at) => hold(at));
    const bases = planHeld(NONE, holds);
    expect(bases.held).toHaveLength(LIMITS.heldBasesMax);
    expect(planHeld(bases, holds)).toBe(bases);
  });
});

describe("planAccept", () => {
  it("takes all that is held at one revision, and forgets the oldest that was accepted", () => {
    const other = { ...hold(1), project: null };
    let bases = planHeld(NONE, [hold(1), other, hold(2)]);
    const { value, result } = planAccept(bases, id(1), RITA);
    expect(result).toEqual([hold(1), other]);
    expect([value.held, value.accepted.length]).toEqual([[hold(2)], 2]);
    for (let at = 0; at <= LIMITS.acceptedBasesMax; at += 1)
      bases = planAccept(planHeld(bases, [hold(at)]), id(at), RITA).value;
    expect(bases.accepted).toHaveLength(LIMITS.acceptedBasesMax);
    expect(bases.accepted[0]?.from).toBe(id(1));
  });

  it("refuses a revision at which nothing is held", () => {
    expect(() => planAccept(planHeld(NONE, [hold(1)]), id(2), RITA)).toThrow(/held at/);
  });
});

describe("toHoldWords", () => {
  it.each([
    { case: hold(1), words: `${SHOP}: 6 of 7 memories are gone` },
    { case: { ...hold(1), project: null }, words: `the base was rewritten from ${id(1)} to ${id(2)}` },
    { case: { ...hold(1), project: null, to: null }, words: `the base ${id(1)} is gone` },
  ])("says $words", ({ case: one, words }) => {
    expect(toHoldWords(one)).toBe(words);
  });
});
