import { describe, expect, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./simulate.ts";

const SMALL = { clients: 3, steps: 25 };
const SEEDS = 150;
const SEEDS_TO_CATCH = 600;

describe("the client's plans, with people, a service, and everything that goes wrong", () => {
  it(`lose nothing and bring nothing back, in ${SEEDS} stories`, () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) expect(simulate(seed, SMALL)).toBeNull();
  });

  it("play out the same for the same seed", () => {
    const [mutant] = MUTANTS;
    const caught = () => simulate(7, SMALL, mutant?.planner);
    expect(caught()).toEqual(caught());
  });

  it.each(MUTANTS)("are caught at it where $name", (mutant) => {
    expect(findFailure(mutant)?.problem).toMatch(/./);
  });
});

function findFailure({ planner, steps = SMALL.steps }: (typeof MUTANTS)[number]) {
  for (let seed = 1; seed <= SEEDS_TO_CATCH; seed += 1) {
    const failure = simulate(seed, { ...SMALL, steps }, planner);
    if (failure !== null) return failure;
  }
  return null;
}
