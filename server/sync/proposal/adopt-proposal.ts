import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { withOpen } from "../world/world.ts";
import type { OpenProposal } from "./proposal.ts";
import { readProposal } from "./read-proposal.ts";

/** Takes a head that was just published into the world, without looking at everything else again. */
export async function adoptProposal(context: EngineContext, id: string, head: GitId): Promise<OpenProposal> {
  const proposal = await readProposal(context, context.history.index(), { id, head });
  if (proposal === null) throw new TeamMemoryError("internal", `Could not read proposal ${id} back from its branch`);
  const world = context.world();
  context.install(withOpen(world, new Map(world.open).set(id, proposal)));
  return proposal;
}
