/** Where a host takes no push of ours in the form in which we send it. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { RefUpdate } from "../port.ts";
import { pushByLibrary } from "./library-push.ts";
import type { PushReport } from "./transport.ts";

/** Of these alone the form may be the reason: the others are about who asks, or about what. */
const STATUSES_OF_FORM: readonly unknown[] = [400, 405, 406, 411, 415, 417, 422, 426];

/** The host did not say no to the change, but to how it was asked: by status, or with an error in place of a report. */
export function isOfItsForm(error: unknown): boolean {
  if (!(error instanceof TeamMemoryError)) return false;
  const { status, words } = error.details;
  return error.code === "remote_denied"
    ? STATUSES_OF_FORM.includes(status)
    : error.code === "remote_refused" && words !== undefined;
}

/**
 * In the order of the updates. Of those that belong together the first decides: what is left behind of the others looks like
 * a kill between two moves, which the next look puts right.
 */
export async function pushOneByOne(
  library: Parameters<typeof pushByLibrary>[0],
  updates: readonly RefUpdate[],
  isAtomic: boolean,
): Promise<PushReport> {
  const refusals = new Map<string, string>();
  const all: string[] = [];
  for (const [index, update] of updates.entries()) {
    const { why, said } = await pushByLibrary(library, update);
    all.push(said);
    if (why === null || (isAtomic && index > 0)) continue;
    refusals.set(update.ref, why);
    if (isAtomic) break;
  }
  return { refusals, said: all.join("\n") };
}
