import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { AnyPort, EachOutcome, PublishOutcome, RefUpdate } from "../../git/port.ts";
import { toRefusal } from "../../git/to-refusal.ts";
import type { EngineContext } from "../engine-context.ts";
import { landAll } from "./land-series.ts";
import type { Landing } from "./landing.ts";

/** One round of writes side by side: what they publish leaves when each has come to its own, or has ended without. */
export interface PushRound {
  publish(updates: readonly RefUpdate[]): Promise<PublishOutcome>;
  land(landing: Landing): Promise<PublishOutcome>;
  /** One that publishes nothing has ended. */
  leave(): void;
  /** How many have claimed the same in this round before. */
  claim(what: string): number;
}

interface Call<T> {
  readonly what: T;
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export function openPushRound(context: EngineContext, size: number): PushRound {
  const { git } = context;
  const pushes: Call<RefUpdate>[] = [];
  const landings: Call<Landing>[] = [];
  const claimed = new Map<string, number>();
  let missing = size;
  // The base first, while nobody else changes the world.
  const publishAll = async () => {
    if (landings.length > 0) await settle(landings, (all) => landAll(context, all));
    if (pushes.length > 0) await settle(pushes, (all) => pushAll(git, all));
  };
  const leave = () => {
    missing -= 1;
    if (missing === 0) void publishAll();
  };
  const call = <T>(calls: Call<T>[], what: T): Promise<PublishOutcome> =>
    new Promise((resolve, reject) => {
      calls.push({ what, resolve, reject });
      leave();
    });
  return {
    leave,
    land: (landing) => call(landings, landing),
    publish: (updates) => {
      const [update] = updates;
      if (update !== undefined && updates.length === 1) return call(pushes, update);
      leave();
      return git.publish(updates);
    },
    claim: (what) => {
      const before = claimed.get(what) ?? 0;
      claimed.set(what, before + 1);
      return before;
    },
  };
}

/** Each with its own outcome, or all with what was thrown. */
async function settle<T>(
  calls: readonly Call<T>[],
  work: (all: readonly T[]) => Promise<ReadonlyMap<T, EachOutcome>>,
): Promise<void> {
  try {
    const outcomes = await work(calls.map(({ what }) => what));
    for (const { what, resolve, reject } of calls) {
      const outcome = outcomes.get(what);
      if (outcome === undefined || isTeamMemoryError(outcome)) reject(outcome);
      else resolve(outcome);
    }
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

async function pushAll(git: AnyPort, updates: readonly RefUpdate[]): Promise<ReadonlyMap<RefUpdate, EachOutcome>> {
  if (git.publishEach === undefined || updates.length === 1) return pushEach(git, updates);
  const outcomes = await git.publishEach(updates);
  return new Map(
    updates.flatMap((update, index) => (outcomes[index] === undefined ? [] : [[update, outcomes[index]]])),
  );
}

async function pushEach(git: AnyPort, updates: readonly RefUpdate[]): Promise<ReadonlyMap<RefUpdate, EachOutcome>> {
  const outcomes = new Map<RefUpdate, EachOutcome>();
  for (const update of updates) outcomes.set(update, await git.publish([update]).catch(toRefusal));
  return outcomes;
}
