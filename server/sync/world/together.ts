/**
 * Writes that wait, in one turn: planned side by side, each with an outcome of its own. What they put on the base is pushed
 * once, as one series; what only touches a branch of its own in a second push.
 */
import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { isTeamMemoryError, type TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { type Attempt, retryWhileLost, toLostRace } from "../../state/retry-lost-race.ts";
import type { EngineContext } from "../engine-context.ts";
import { BASE_REF } from "../proposal/refs.ts";
import { assertNotHeld } from "./held-world.ts";
import { openPushRound, type PushRound } from "./push-round.ts";
import { refreshWorld } from "./refresh-world.ts";
import type { TurnContext } from "./turn-context.ts";

export interface Together {
  /** The context of one write that shares its turn. No two of one name share the same. */
  join(name: string): TurnContext;
}

interface Member {
  readonly name: string;
  readonly what: string;
  /** Settles the member, or says that it lost: it is to run again. */
  readonly run: (isFresh: boolean) => Promise<boolean>;
  readonly fail: (error: unknown) => void;
  /** Its seat in a round; what leaves it, where nothing of it has gone along. */
  readonly enter: (round: PushRound) => () => void;
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
      let seat: Seat = { round: null, isTaken: true };
      const enter = (round: PushRound) => {
        const mine: Seat = { round, isTaken: false };
        seat = mine;
        return () => takeSeat(mine)?.leave();
      };
      return {
        ...context,
        git: { ...context.git, publish: (updates) => takeSeat(seat)?.publish(updates) ?? context.git.publish(updates) },
        land: async (landing) => {
          assertNotHeld(context, landing.project);
          return takeSeat(seat)?.land(landing) ?? TO_THE_NEXT;
        },
        claim: (what) => seat.round?.claim(what) ?? 0,
        together: (what, attempt) =>
          new Promise((resolve, reject) => {
            add({ name, what, enter, fail: reject, run: (isFresh) => runOnce({ attempt, resolve, reject }, isFresh) });
          }),
      };
    },
  };
}

interface Seat {
  readonly round: PushRound | null;
  isTaken: boolean;
}

/** What a write publishes after its first time is its own affair; only the first goes with the round. */
function takeSeat(seat: Seat): PushRound | null {
  if (seat.isTaken) return null;
  seat.isTaken = true;
  return seat.round;
}

/** The base moves once in a round. */
const TO_THE_NEXT = { kind: "lost", ref: BASE_REF } as const;

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
async function runRound(context: EngineContext, members: readonly Member[], isFresh: boolean) {
  const round = openPushRound(context, members.length);
  const lost = await Promise.all(
    members.map(async ({ enter, run }) => {
      const leave = enter(round);
      return run(isFresh).finally(leave);
    }),
  );
  return members.filter((_, index) => lost[index]);
}

interface Write<R> {
  readonly attempt: () => Promise<Attempt<R>>;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** A refusal of ours is tried once more after a fresh look. */
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

/** Said by the remote, or of it: asking again changes nothing. */
function isOfTheRemote({ code }: TeamMemoryError): boolean {
  return OF_THE_REMOTE.has(code);
}

const OF_THE_REMOTE: ReadonlySet<ErrorCode> = new Set([
  "remote_refused",
  "remote_denied",
  "remote_host_key",
  "base_held",
]);
