import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { EngineContext } from "../engine-context.ts";
import { toProposalRef } from "../proposal/refs.ts";
import { retractKeys } from "../proposal/retract-keys.ts";
import type { ReconcileAction } from "./reconcile.ts";
import { takeOutcomes } from "./take-outcomes.ts";
import { withOpen } from "./world.ts";

/**
 * One action after the other; one that fails is tried again at the next look, and holds up nobody's pull.
 *
 * @returns ids of proposals of which nobody can say yet what became of them
 */
export async function applyReconcile(
  context: EngineContext,
  actions: readonly ReconcileAction[],
): Promise<ReadonlySet<string>> {
  const untold = new Set<string>();
  for (const action of actions) {
    try {
      await applyAction(context, action);
      if (action.kind === "wait") untold.add(action.id);
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      if (action.kind === "record") untold.add(action.outcome.id);
      context.log.error({ err: error, action: action.kind }, "A step of putting proposals right failed");
    }
  }
  return untold;
}

async function applyAction(context: EngineContext, action: ReconcileAction): Promise<void> {
  switch (action.kind) {
    case "record": {
      const { id, project, state } = action.outcome;
      context.log.info({ proposal: id, project, state }, "A proposal has ended");
      await context.outcomes.record(action.outcome);
      return takeOutcomes(context);
    }
    case "forget":
      await context.outcomes.forget(action.id);
      return takeOutcomes(context);
    case "wait":
      return;
    case "delete":
      return deleteBranch(context, action.id, action.head);
    case "retract":
      await retractKeys(context, action.open, new Set(action.keys));
  }
}

async function deleteBranch(context: EngineContext, id: string, head: string): Promise<void> {
  const deleted = await context.git.publish([{ ref: toProposalRef(id), expectedOld: head, new: null }]);
  if (deleted.kind === "lost") return;
  const world = context.world();
  const open = new Map(world.open);
  open.delete(id);
  context.install(withOpen({ ...world, occupied: new Set([...world.occupied].filter((other) => other !== id)) }, open));
}
