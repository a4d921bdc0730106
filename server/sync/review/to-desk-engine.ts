/** The engine as a forge's desk sees it. */
import type { DeskEngine } from "../../forge/forge-desk.ts";
import type { EngineContext } from "../engine-context.ts";
import { findFinished } from "../proposal/find-finished.ts";
import type { PutResult } from "../proposal/put-proposal.ts";
import { describeProposal, summarize } from "./describe-proposal.ts";

export function toDeskEngine(context: EngineContext, refresh: () => Promise<void>): DeskEngine {
  return {
    listOpen: () => [...context.world().open.values()].map((open) => summarize(context, open)),
    describe: (id) => describeProposal(context, id),
    endOf: (id) => {
      if (context.world().open.has(id)) return null;
      const finished = findFinished({ index: context.history.index(), outcomes: context.world().outcomes }, id);
      return finished === null || finished.state === "open" ? null : finished.state;
    },
    refresh,
  };
}

/** With the address of its pull request, where it gets one in time. */
export async function withReviewUrl({ desk }: Pick<EngineContext, "desk">, put: PutResult): Promise<PutResult> {
  if (desk === null || put.proposal.state !== "open") return put;
  const url = await desk.awaitUrl(put.proposal.id);
  return url === null ? put : { ...put, proposal: { ...put.proposal, url } };
}
