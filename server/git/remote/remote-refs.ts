/**
 * References of a mirror: files that follow the remote's. Reading asks the files alone. Whatever moves the remote is a
 * compare-and-swap there; the files follow by compare-and-swap, too, so that an older look never goes over a newer one.
 */
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { RefStore } from "../build-git-port.ts";
import { HIDDEN_REF } from "../create-repository.ts";
import type { ObjectStore } from "../objects.ts";
import type { EachOutcome, HeldBase, PublishOutcome, RefUpdate, SharedPort } from "../port.ts";
import { planMoves, publishOnDisk } from "../publish.ts";
import { readRef, readRefs } from "../read-refs.ts";
import { buildBaseJudge } from "./held-base.ts";
import { type BaseNames, type MirrorNames, planMirrorMoves, toMirrored, toRemoteName } from "./plan-mirror.ts";
import { pushEach } from "./push-each.ts";
import { pushOnce } from "./push-once.ts";
import { beginState, findStateRef } from "./state-ref.ts";
import type { RemoteRefs, Transport } from "./transport.ts";

export interface RemoteRefStore extends RefStore, SharedPort {
  /** Looks at the remote, fetches what is new, and moves the files; all that `listed` said of the remote. */
  refresh(): Promise<RemoteRefs>;
}

interface RemoteRefsOptions extends BaseNames {
  readonly gitDir: string;
  readonly objects: ObjectStore;
  readonly transport: Transport;
}

export function buildRemoteRefs(options: RemoteRefsOptions): RemoteRefStore {
  const { gitDir, baseRef, objects, transport } = options;
  const judgeBase = buildBaseJudge(objects);
  let held: HeldBase | null = null;
  let remoteStateRef: string | null = null;
  let looking: Promise<unknown> = Promise.resolve();

  const names = (): MirrorNames => ({ ...options, remoteStateRef });
  const move = (updates: readonly RefUpdate[]) => publishOnDisk({ gitDir, baseRef, updates });

  async function look(): Promise<RemoteRefs> {
    for (let looks = 1; looks <= LIMITS.remoteLooksMax; looks += 1) {
      const before = await readRefs(gitDir, "refs/");
      const listed = await transport.listRefs();
      remoteStateRef = findStateRef(listed);
      const there = toMirrored(listed, options);
      if ((await fetchMissing(options, names(), { before, there })) && (await follow(before, there))) return listed;
    }
    throw new TeamMemoryError("remote_unreachable", "could not follow the remote: its references keep moving");
  }

  /** False: another process has moved the files since they were read. */
  async function follow(before: RemoteRefs, there: RemoteRefs): Promise<boolean> {
    held = await judgeBase(before.get(baseRef) ?? null, there.get(baseRef) ?? null);
    // A remote that was emptied or made anew: its branches are not taken for closed either.
    if (held?.to === null) return true;
    const { deletions, others } = planMirrorMoves(before, there, new Set(held === null ? [] : [baseRef]));
    return (await move(deletions)).kind === "published" && (await move(others)).kind === "published";
  }

  async function publish(updates: readonly RefUpdate[]): Promise<PublishOutcome> {
    const moves = planMoves(updates, baseRef);
    assertNotHeld(held, moves);
    for (const { ref, expectedOld } of moves) {
      if ((await readRef(gitDir, ref)) !== expectedOld) return { kind: "lost", ref };
    }
    const outcome = await push(moves);
    // Where another process has moved the files meanwhile, the next look does the rest.
    if (outcome.kind === "published") await move(moves);
    return outcome;
  }

  async function push(moves: readonly RefUpdate[]): Promise<PublishOutcome> {
    const [first] = moves;
    const begins = moves.length === 1 && first?.ref === HIDDEN_REF && remoteStateRef === null;
    if (!begins) return pushAll(transport, names(), moves);
    remoteStateRef = await beginState(transport, first);
    return remoteStateRef === null ? { kind: "lost", ref: first.ref } : { kind: "published" };
  }

  async function publishEach(updates: readonly RefUpdate[]): Promise<readonly EachOutcome[]> {
    assertNotHeld(held, planMoves(updates, baseRef));
    const standing = await Promise.all(
      updates.map(async ({ ref, expectedOld }) => (await readRef(gitDir, ref)) === expectedOld),
    );
    const current = updates.filter((_, index) => standing[index]);
    const pushed = current.length === 0 ? [] : await pushTogether(transport, names(), current);
    const taken = current.filter((_, index) => isPublished(pushed[index]));
    if (taken.length > 0) await move(taken);
    const outcomes = new Map(current.map((update, index) => [update, pushed[index]]));
    return updates.map((update) => outcomes.get(update) ?? { kind: "lost", ref: update.ref });
  }

  return {
    publishEach,
    readRef: (ref) => readRef(gitDir, ref),
    readRefs: (prefix) => readRefs(gitDir, prefix),
    publish,
    refresh: () => {
      const next = looking.then(look);
      looking = next.catch(() => undefined);
      return next;
    },
    heldBase: () => held,
    acceptBase: async (to) => {
      const { from } = held?.to === to ? held : throwHeld("another base is held by now");
      await move([{ ref: baseRef, expectedOld: from, new: to }]);
      held = null;
    },
  };
}

/** False: the remote has moved on, and what it said has not all come. */
async function fetchMissing(
  { objects, transport }: RemoteRefsOptions,
  names: MirrorNames,
  { before, there }: { readonly before: RemoteRefs; readonly there: RemoteRefs },
): Promise<boolean> {
  const missing = await findMissing(objects, before, there);
  if (missing.size === 0) return true;
  const base = before.get(names.baseRef);
  const haves = new Set([...(base === undefined ? [] : [base]), ...before.values()]);
  const wants = new Map([...missing].map(([ref, id]) => [toRemoteName(ref, names), id]));
  await transport.fetch({ wants, haves: [...haves].slice(0, LIMITS.remoteHavesMax) });
  await objects.refresh();
  return (await findMissing(objects, before, there)).size === 0;
}

async function findMissing(objects: ObjectStore, before: RemoteRefs, there: RemoteRefs): Promise<RemoteRefs> {
  const here = new Set(before.values());
  const missing = new Map<string, string>();
  for (const [ref, id] of there) {
    if (!here.has(id) && (await objects.read(id, LIMITS.commitSizeBytesMax)) === null) missing.set(ref, id);
  }
  return missing;
}

function assertNotHeld(held: HeldBase | null, moves: readonly RefUpdate[]): void {
  if (held !== null && moves.some(({ ref }) => ref.startsWith("refs/heads/"))) {
    throwHeld("the base on the remote was rewritten");
  }
}

function throwHeld(why: string): never {
  throw new TeamMemoryError("base_held", `could not go on: ${why}`);
}

/**
 * Where the remote cannot move several references together they go one by one, in the order of the moves: the first
 * decides, and what is left behind looks like a kill between two moves, which the next look puts right.
 */
async function pushAll(transport: Transport, names: MirrorNames, moves: readonly RefUpdate[]): Promise<PublishOutcome> {
  const updates = moves.map((update) => ({ ...update, ref: toRemoteName(update.ref, names) }));
  if (updates.length <= 1 || (await transport.isAtomic())) return pushOnce(transport, updates);
  const outcome = await pushOnce(transport, updates.slice(0, 1));
  if (outcome.kind === "lost") return outcome;
  for (const update of updates.slice(1)) await pushOnce(transport, [update]).catch(ignoreRefusal);
  return outcome;
}

function pushTogether(
  transport: Transport,
  names: MirrorNames,
  moves: readonly RefUpdate[],
): Promise<readonly EachOutcome[]> {
  const updates = moves.map((update) => ({ ...update, ref: toRemoteName(update.ref, names) }));
  return pushEach(transport, updates);
}

function isPublished(outcome: EachOutcome | undefined): boolean {
  return outcome !== undefined && !(outcome instanceof TeamMemoryError) && outcome.kind === "published";
}

function ignoreRefusal(error: unknown): void {
  if (!isTeamMemoryError(error)) throw error;
}
