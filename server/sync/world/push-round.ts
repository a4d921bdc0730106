import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { AnyPort, PublishOutcome, RefUpdate } from "../../git/port.ts";

/** One round of writes side by side: the push leaves when each of them has come to its own, or has ended without. */
export interface PushRound {
  publish(updates: readonly RefUpdate[]): Promise<PublishOutcome>;
  /** One that will not push has ended. */
  leave(): void;
}

interface Call {
  readonly update: RefUpdate;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export function openPushRound(git: AnyPort, size: number): PushRound {
  const calls: Call[] = [];
  let missing = size;
  const leave = () => {
    missing -= 1;
    if (missing === 0) void pushAll(git, calls);
  };
  return {
    leave,
    publish: (updates) => {
      const [update] = updates;
      if (update === undefined || updates.length > 1) {
        leave();
        return git.publish(updates);
      }
      return new Promise((resolve, reject) => {
        calls.push({ update, resolve, reject });
        leave();
      });
    },
  };
}

async function pushAll(git: AnyPort, calls: readonly Call[]): Promise<void> {
  if (git.publishEach === undefined || calls.length === 1) {
    for (const { update, resolve, reject } of calls) await git.publish([update]).then(resolve, reject);
    return;
  }
  try {
    const outcomes = await git.publishEach(calls.map(({ update }) => update));
    for (const [index, { resolve, reject }] of calls.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined || outcome instanceof TeamMemoryError) reject(outcome);
      else resolve(outcome);
    }
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}
