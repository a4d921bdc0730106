/** What people do to the remote: review, in all the ways in which teams do, and git by hand. */
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { editMemory, newMemory } from "./ledger.ts";
import type { ProposalModel } from "./proposal-model.ts";
import type { World } from "./world.ts";

/** An integer from 0 below `below`. */
export type Random = (below: number) => number;

interface Review {
  readonly world: World;
  readonly random: Random;
  readonly proposal: ProposalModel;
}

export function approveSome(review: Review): void {
  const { proposal, random } = review;
  const keys = [...proposal.changes.keys()];
  approve(review, random(2) === 0 ? keys : keys.filter(() => random(2) === 0));
}

/** As the built-in review merges: all named keys, or none where one is in conflict. */
function approve({ world, proposal }: Review, keys: readonly string[]): void {
  const { base } = world.service;
  const taken = [...proposal.changes].filter(([key]) => keys.includes(key) && !isOnBase(world, proposal, key));
  const isFree = ([key, change]: (typeof taken)[number]) => (base.files.get(key) ?? null) === change.base;
  if (base.isHeld || taken.length === 0 || !taken.every(isFree)) return;
  base.commit(new Map(taken.map(([key, { blob }]) => [key, blob])));
  const rest = [...proposal.changes.keys()].filter((key) => !isOnBase(world, proposal, key));
  if (rest.length === 0) {
    proposal.state = "merged";
  } else if (proposal.human.size === 0) {
    for (const [key] of taken) proposal.changes.delete(key);
    proposal.began = base.revision;
  }
}

function isOnBase({ service }: World, { changes }: ProposalModel, key: string): boolean {
  return (service.base.files.get(key) ?? null) === (changes.get(key)?.blob ?? null);
}

/** Squashed by hand: some keys edited on the way, some left out. */
export function mergeWithEdits({ world, random, proposal }: Review): void {
  const { base } = world.service;
  const left = [...proposal.changes].filter(([key, change]) => (base.files.get(key) ?? null) === change.base);
  const merged = left.filter(() => random(4) > 0);
  if (base.isHeld || left.length < proposal.changes.size || merged.length === 0) return;
  base.commit(new Map(merged.map(([key, { blob }]) => [key, random(2) === 0 ? blob : touch(world, random, blob)])));
  proposal.leftOut = new Set(left.filter((one) => !merged.includes(one)).map(([key]) => key));
  proposal.state = "merged";
}

function touch({ ledger }: World, random: Random, blob: string | null): string | null {
  if (blob === null) return null;
  return ledger.write(editMemory(ledger.textOf(blob), ledger.nextWord(), random(4)), blob);
}

export function closeSome({ random, proposal }: Review): void {
  const keys = [...proposal.changes.keys()];
  const some = random(2) === 0 ? keys : keys.filter(() => random(2) === 0);
  proposal.reason = "no";
  for (const key of some) {
    if (some.length === keys.length) continue;
    proposal.rejected.set(key, { blob: proposal.changes.get(key)?.blob ?? null });
    proposal.changes.delete(key);
    proposal.human.delete(key);
  }
  if (some.length === keys.length) end(proposal);
}

/** Without a word. */
export function deleteBranch({ proposal }: Review): void {
  end(proposal);
}

function end(proposal: ProposalModel): void {
  proposal.leftOut = new Set(proposal.changes.keys());
  proposal.state = "closed";
}

/** A reviewer's own commit on the branch: of one of its keys, or of another. */
export function commitToBranch({ world, random, proposal }: Review): void {
  const { ledger } = world;
  const changed = [...proposal.changes].filter(([, { blob }]) => blob !== null);
  const one = changed[random(changed.length + 1)];
  if (one === undefined) return;
  const [key, { base, blob }] = one;
  const next = touch(world, random, blob);
  if (base !== null && next !== null) ledger.acknowledge(next, base);
  proposal.changes.set(key, { base, blob: next });
  proposal.human.set(key, next);
}

/** Commits on the base by hand: edits, additions, removals. */
export function commitToBase(world: World, random: Random, keys: readonly MemoryKey[]): void {
  const { service, ledger } = world;
  const chosen = keys.filter(() => random(keys.length) < 2);
  const changes = chosen.map((key): [string, string | null] => {
    const here = service.base.files.get(key) ?? null;
    if (here === null) return [key, ledger.write(newMemory(key, ledger.nextWord()))];
    return [key, random(3) === 0 ? null : touch(world, random, here)];
  });
  service.base.commit(new Map(changes));
}

export function removeMany({ service }: World, random: Random): void {
  const removed = [...service.base.files.keys()].filter(() => random(4) > 0);
  service.base.commit(new Map(removed.map((key) => [key, null])));
}
