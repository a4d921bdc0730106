import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Proposal } from "../../../shared/protocol/schemas.ts";
import { type EngineContext, notFound } from "../engine-context.ts";
import { findFinished } from "./find-finished.ts";
import { presentFinished, presentOpen } from "./present-proposal.ts";

/** @throws TeamMemoryError not_found, also for a proposal of another project */
export function presentById(context: EngineContext, project: ProjectName, id: string): Proposal {
  const { open, outcomes } = context.world();
  const proposal = open.get(id);
  if (proposal?.project !== project) return presentEnded(context, project, id);
  return presentOpen(toPresentation(context), proposal, outcomes.get(id) ?? null);
}

/** @throws TeamMemoryError not_found */
export function presentEnded(context: EngineContext, project: ProjectName, id: string): Proposal {
  const { outcomes } = context.world();
  const finished = findFinished({ index: context.history.index(), outcomes }, id);
  if (finished?.project !== project) throw notFound(`proposal ${id} of ${project}`);
  return presentFinished(toPresentation(context), finished);
}

export function toPresentation(context: EngineContext) {
  const { publicUrl, desk, history } = context;
  return { index: history.index(), publicUrl, reviewUrlOf: (id: string) => desk?.urlOf(id) ?? null };
}
