/** The decisions under test. Mutants break one of them. */
import { decide } from "../../client/sync/pull/outcomes.ts";
import { planPull } from "../../client/sync/pull/plan-pull.ts";
import { planPush } from "../../client/sync/push/plan-push.ts";

export interface Planner {
  readonly decide: typeof decide;
  readonly planPull: typeof planPull;
  readonly planPush: typeof planPush;
}

export const REAL_PLANNER: Planner = { decide, planPull, planPush };
