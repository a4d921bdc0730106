/** Changes that have nothing to do with each other, in one push: what is refused of one leaves the others alone. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { EachOutcome, RefUpdate } from "../port.ts";
import { toRefusal } from "../to-refusal.ts";
import { judgePush } from "./judge-push.ts";
import { isTaken, pushOnce, pushUnanswered } from "./push-once.ts";
import type { PushReport, RemoteRefs, Transport } from "./transport.ts";

/** In the order of the updates. Throws what `push` throws where it is known that nothing was taken. */
export async function pushEach(transport: Transport, updates: readonly RefUpdate[]): Promise<readonly EachOutcome[]> {
  const answer = await pushUnanswered(transport, updates, { isAtomic: false });
  if (isTaken(answer)) return updates.map(() => ({ kind: "published" }));
  const now = await transport.listRefs();
  const outcomes: EachOutcome[] = [];
  for (const update of updates) {
    const outcome = judgeOne(update, now, answer);
    // A hook, or a bound on the whole, says no to all for the sake of one: alone it may well be taken.
    const isRefused = outcome instanceof TeamMemoryError && outcome.code === "remote_refused";
    outcomes.push(isRefused && updates.length > 1 ? await pushOnce(transport, [update]).catch(toRefusal) : outcome);
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
