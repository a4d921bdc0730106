/** The decisions under test. Mutants break one of them. */
import { decide } from "../../client/sync/outcomes.ts";
import { planPull } from "../../client/sync/plan-pull.ts";
import { planPush } from "../../client/sync/plan-push.ts";

export interface Planner {
  readonly decide: typeof decide;
  readonly planPull: typeof planPull;
  readonly planPush: typeof planPush;
}

export const REAL_PLANNER: Planner = { decide, planPull, planPush };
