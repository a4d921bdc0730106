/** Bugs that peers have really had, each planted into one row of the plans: the simulator must find every one. */
import { decide } from "../../client/sync/pull/outcomes.ts";
import { type KeyFacts, type PlannedStep, planPull } from "../../client/sync/pull/plan-pull.ts";
import { planPush } from "../../client/sync/push/plan-push.ts";
import { without } from "../../client/sync/state/marks.ts";
import { type Planner, REAL_PLANNER } from "./planner.ts";

interface Mutant {
  readonly name: string;
  /** Of stories that are long enough to run into it. */
  readonly steps?: number;
  readonly planner: Planner;
}

/** `change` may say otherwise about one key. */
function pullOtherwise(change: (facts: KeyFacts, step: PlannedStep) => PlannedStep): Planner {
  return {
    ...REAL_PLANNER,
    planPull: (keys, circumstances) =>
      planPull(keys, circumstances).map((step, at) => {
        const facts = keys[at];
        return facts === undefined ? step : change(facts, step);
      }),
  };
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "a missing file counts as a removal for all",
    planner: pullOtherwise(({ key, base, local }, step) =>
      step.kind === "place" && step.because === "restored" && local.kind === "absent" && base !== null
        ? { kind: "keep", key, state: "removal", marks: { removal: { blob: base } } }
        : step,
    ),
  },
  {
    name: "what the team removed is proposed again",
    planner: {
      ...REAL_PLANNER,
      planPush: (keys) => planPush(keys.map((facts) => ({ ...facts, marks: { ...facts.marks, ...NOT_HELD } }))),
    },
  },
  {
    name: "a changed file that the team has removed goes with it",
    planner: pullOtherwise(({ key, local }, step) =>
      step.kind === "keep" && step.state === "removed_by_team" && local.kind === "file"
        ? { kind: "remove", key, expected: local.blob, marks: {} }
        : step,
    ),
  },
  {
    name: "of two changes the team's is taken, and mine is not parked",
    planner: pullOtherwise((_, step) =>
      step.kind === "merge" && step.source === "local"
        ? {
            kind: "place",
            key: step.key,
            blob: step.theirs,
            text: "remote",
            expected: step.mine,
            because: "changed",
            parks: null,
            marks: {},
          }
        : step,
    ),
  },
  {
    name: "of two changes mine is kept as it is",
    planner: pullOtherwise((_, step) =>
      step.kind === "merge" && step.source === "local"
        ? { kind: "keep", key: step.key, state: "changed", marks: step.marks }
        : step,
    ),
  },
  {
    name: "an edit starts from the pristine copy though what was proposed has merged",
    planner: {
      ...REAL_PLANNER,
      planPull: (keys, circumstances) =>
        planPull(
          keys.map((facts) => ({ ...facts, proposed: null })),
          circumstances,
        ),
    },
  },
  {
    name: "what was proposed is the base of a text that was not made of it",
    steps: 60,
    planner: {
      ...REAL_PLANNER,
      planPull: (keys, circumstances) =>
        planPull(
          keys.map((facts) => ({ ...facts, marks: without(facts.marks, "apart") })),
          circumstances,
        ),
    },
  },
  {
    name: "a closed proposal is opened again",
    planner: {
      ...REAL_PLANNER,
      planPush: (keys) => planPush(keys.map((facts) => ({ ...facts, marks: { ...facts.marks, ...NOT_REJECTED } }))),
    },
  },
  {
    name: "a set that was lost on its way counts as merged with the one before it",
    planner: {
      ...REAL_PLANNER,
      decide: (state, outcomes) => {
        const seq = state.outbox.open?.seq ?? 0;
        return decide(state, new Map([...outcomes].map(([id, outcome]) => [id, { ...outcome, seq }])));
      },
    },
  },
];

const NOT_HELD = { held: { blob: "", because: "removed_by_team" } } as const;
const NOT_REJECTED = { rejected: { blob: "", reason: null, url: "" } } as const;
