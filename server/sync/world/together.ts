/**
 * Writes that wait for one base, in one turn: planned side by side, pushed once, each with an outcome of its own. Only for
 * writes that touch nothing but a branch of their own; those that move the base go one after the other.
 */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { type Attempt, retryWhileLost, toLostRace } from "../../state/retry-lost-race.ts";
import type { EngineContext } from "../engine-context.ts";
import { openPushRound, type PushRound } from "./push-round.ts";
import { refreshWorld } from "./refresh-world.ts";
import { isOfTheRemote } from "./write-in-turn.ts";

export interface Together {
  /** The context of one write that shares its turn. No two of one name share the same. */
  join(name: string): EngineContext;
}

interface Member {
  readonly name: string;
  readonly what: string;
  /** Settles the member, or says that it lost: it is to run again. */
  readonly run: (isFresh: boolean) => Promise<boolean>;
  readonly fail: (error: unknown) => void;
  readonly enter: (round: PushRound) => void;
}

export function buildTogether(context: EngineContext): Together {
  const waiting = new Set<Member>();

  const turn = () => context.inTurn(() => runTogether(context, takeNext(waiting)));

  const add = (member: Member) => {
    // A turn for each: one too many finds nothing to do, and they are bounded as those of other writes are.
    const taken = turn();
    waiting.add(member);
    void taken.catch(member.fail);
  };

  return {
    join: (name) => {
      let publish = context.git.publish;
      const enter = (round: PushRound) => {
        publish = onceIn(round, context.git.publish);
      };
      return {
        ...context,
        git: { ...context.git, publish: (updates) => publish(updates) },
        together: (what, attempt) =>
          new Promise((resolve, reject) => {
            add({ name, what, enter, fail: reject, run: (isFresh) => runOnce({ attempt, resolve, reject }, isFresh) });
          }),
      };
    },
  };
}

function takeNext(waiting: Set<Member>): readonly Member[] {
  const taken = new Map<string, Member>();
  for (const member of waiting) {
    if (taken.size >= LIMITS.writesTogetherMax) break;
    if (!taken.has(member.name)) taken.set(member.name, member);
  }
  for (const member of taken.values()) waiting.delete(member);
  return [...taken.values()];
}

async function runTogether(context: EngineContext, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return;
  let left = members;
  let isFresh = false;
  const runLeft = async (): Promise<Attempt<undefined>> => {
    if (isFresh) await refreshWorld(context);
    left = await runRound(context, left, isFresh);
    isFresh = true;
    return left.length === 0 ? { kind: "done", result: undefined } : { kind: "lost" };
  };
  try {
    await retryWhileLost(runLeft);
    for (const { what, fail } of left) fail(toLostRace(what));
  } catch (error) {
    for (const { fail } of left) fail(error);
  }
}

/** Those that lost. */
async function runRound({ git }: EngineContext, members: readonly Member[], isFresh: boolean) {
  const round = openPushRound(git, members.length);
  const lost = await Promise.all(
    members.map(async ({ enter, run }) => {
      let isIn = true;
      const leave = () => {
        if (isIn) round.leave();
        isIn = false;
      };
      enter({
        leave,
        publish: (updates) => {
          isIn = false;
          return round.publish(updates);
        },
      });
      return run(isFresh).finally(leave);
    }),
  );
  return members.filter((_, index) => lost[index]);
}

/** What a write publishes after its first push is its own affair. */
function onceIn(round: PushRound, direct: EngineContext["git"]["publish"]): EngineContext["git"]["publish"] {
  let isFirst = true;
  return (updates) => {
    const publish = isFirst ? round.publish : direct;
    isFirst = false;
    return publish(updates);
  };
}

interface Write<R> {
  readonly attempt: () => Promise<Attempt<R>>;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** A refusal of ours is tried once more after a fresh look, as for a write that has a turn of its own. */
async function runOnce<R>({ attempt, resolve, reject }: Write<R>, isFresh: boolean): Promise<boolean> {
  try {
    const outcome = await attempt();
    if (outcome.kind === "lost") return true;
    resolve(outcome.result);
  } catch (error) {
    if (!isFresh && isTeamMemoryError(error) && !isOfTheRemote(error)) return true;
    reject(error);
  }
  return false;
}
