/** Changes that have nothing to do with each other, in one push: what is refused of one leaves the others alone. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { PublishOutcome, RefUpdate } from "../port.ts";
import { judgePush } from "./judge-push.ts";
import type { PushReport, RemoteRefs, Transport } from "./transport.ts";

/** The outcome of one change, or why it was refused. */
export type EachOutcome = PublishOutcome | TeamMemoryError;

/** In the order of the updates. Throws what `push` throws where it is known that nothing was taken. */
export async function pushEach(
  transport: Transport,
  updates: readonly RefUpdate[],
  pushAlone: (update: RefUpdate) => Promise<PublishOutcome>,
): Promise<readonly EachOutcome[]> {
  const answer = await transport.push(updates, { isAtomic: false }).catch(toUnanswered);
  if (!(answer instanceof TeamMemoryError) && answer.refusals.size === 0) {
    return updates.map(() => ({ kind: "published" }));
  }
  const now = await transport.listRefs();
  const outcomes: EachOutcome[] = [];
  for (const update of updates) {
    const outcome = judgeOne(update, now, answer);
    // A hook, or a bound on the whole, says no to all for the sake of one: alone it may well be taken.
    const isRefused = outcome instanceof TeamMemoryError && outcome.code === "remote_refused";
    outcomes.push(isRefused && updates.length > 1 ? await pushAlone(update).catch(toRefusal) : outcome);
  }
  return outcomes;
}

function judgeOne(update: RefUpdate, now: RemoteRefs, answer: PushReport | TeamMemoryError): EachOutcome {
  if (answer instanceof TeamMemoryError) return tryJudge(update, now, answer);
  const why = answer.refusals.get(update.ref);
  // Taken, whoever has moved it since.
  if (why === undefined) return { kind: "published" };
  return tryJudge(update, now, { ...answer, refusals: new Map([[update.ref, why]]) });
}

function tryJudge(update: RefUpdate, now: RemoteRefs, answer: PushReport | TeamMemoryError): EachOutcome {
  try {
    return judgePush([update], now, answer);
  } catch (error) {
    return toRefusal(error);
  }
}

/** What became of it is for the remote's references to say. */
function toUnanswered(error: unknown): TeamMemoryError {
  if (error instanceof TeamMemoryError && error.code === "remote_unreachable") return error;
  throw error;
}

function toRefusal(error: unknown): TeamMemoryError {
  if (error instanceof TeamMemoryError) return error;
  throw error;
}
