/** Several landings as one series of commits on the base, pushed once with their branches; each with its own outcome. */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { EachOutcome, PublishOutcome, RefUpdate } from "../../git/port.ts";
import { toRefusal } from "../../git/to-refusal.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import { BASE_REF, toProposalRef } from "../proposal/refs.ts";
import { advanceWorld, type Landed } from "./advance-world.ts";
import { type Landing, planSeries } from "./landing.ts";

type Outcomes = ReadonlyMap<Landing, EachOutcome>;

/** Of each landing that was given. Nothing else may change the world meanwhile, for it goes along with the base. */
export async function landAll(context: EngineContext, landings: readonly Landing[]): Promise<Outcomes> {
  const projects = [...new Set(landings.map(({ project }) => project))];
  const snapshots = await Promise.all(
    projects.map(async (project) => [project, await currentSnapshot(context, project)] as const),
  );
  const { together, later } = planSeries(landings, new Map(snapshots));
  return new Map([...later.map((landing) => [landing, LOST] as const), ...(await landTogether(context, together))]);
}

const LOST: PublishOutcome = { kind: "lost", ref: BASE_REF };

/** One whose branch has moved leaves the series. A refusal may be for the sake of one: then each is tried alone. */
async function landTogether(context: EngineContext, landings: readonly Landing[]): Promise<Outcomes> {
  if (landings.length === 0) return new Map();
  const outcome: EachOutcome = await land(context, landings).catch(toRefusal);
  if (isTeamMemoryError(outcome)) {
    const isOfOne = outcome.code === "remote_refused" && landings.length > 1;
    return isOfOne ? landEach(context, landings) : toAll(landings, outcome);
  }
  const moved = outcome.kind === "lost" ? landings.find(({ id }) => toProposalRef(id) === outcome.ref) : undefined;
  if (moved === undefined) return toAll(landings, outcome);
  const others = landings.filter((landing) => landing !== moved);
  return new Map([[moved, outcome], ...(await landTogether(context, others))]);
}

function toAll(landings: readonly Landing[], outcome: EachOutcome): Outcomes {
  return new Map(landings.map((landing) => [landing, outcome]));
}

async function landEach(context: EngineContext, landings: readonly Landing[]): Promise<Outcomes> {
  const outcomes = new Map<Landing, EachOutcome>();
  for (const landing of landings) outcomes.set(landing, await land(context, [landing]).catch(toRefusal));
  return outcomes;
}

/** The base and the branches move together or not at all. */
async function land(context: EngineContext, landings: readonly Landing[]): Promise<PublishOutcome> {
  const { base: before } = context.world();
  const landed: Landed[] = [];
  const moves: RefUpdate[] = [];
  let base = before;
  for (const { project, id, commit, moveBranch } of landings) {
    base = await commit(base);
    const move = await moveBranch(base);
    if (move !== null) moves.push(move);
    landed.push({ project, id, branch: move });
  }
  const outcome = await context.git.publish([{ ref: BASE_REF, expectedOld: before, new: base }, ...moves]);
  if (outcome.kind === "published") await advanceWorld(context, { base, landed });
  return outcome;
}
