import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { PublishOutcome, RefUpdate } from "../port.ts";
import { judgePush } from "./judge-push.ts";
import type { PushReport, Transport } from "./transport.ts";

/** One push of changes that belong together. */
export async function pushOnce(transport: Transport, updates: readonly RefUpdate[]): Promise<PublishOutcome> {
  const answer = await pushUnanswered(transport, updates, { isAtomic: true });
  if (isTaken(answer)) return { kind: "published" };
  const now = await transport.listRefs().catch((error: unknown) => {
    throw answer instanceof TeamMemoryError ? answer : error;
  });
  return judgePush(updates, now, answer);
}

/** The remote's answer; or the error where none came: what became of it then is for the remote's references to say. */
export async function pushUnanswered(
  transport: Transport,
  updates: readonly RefUpdate[],
  options: { readonly isAtomic: boolean },
): Promise<PushReport | TeamMemoryError> {
  try {
    return await transport.push(updates, options);
  } catch (error) {
    if (error instanceof TeamMemoryError && error.code === "remote_unreachable") return error;
    throw error;
  }
}

export function isTaken(answer: PushReport | TeamMemoryError): boolean {
  return !(answer instanceof TeamMemoryError) && answer.refusals.size === 0;
}
