import { LIMITS } from "../../../shared/limits.ts";
import { type KeyMarks, type Marks, without } from "../state/marks.ts";
import type { Forbidden, OpenProposal, SentChange, SentSet } from "../state/outbox.ts";
import type { PushStep } from "./plan-push.ts";
import type { KeyProblem, WantedSet } from "./push-set.ts";

/** What becomes of the outbox and the marks with each thing that a push learns: pure. */

type Wanted = Pick<OpenProposal, "changes" | "restore">;

interface Making {
  readonly newId: () => string;
  readonly nowMs: number;
}

/**
 * The proposal as it should stand now: the same one where nothing changed, the next set of it, or a new one. Null: there
 * is none, and nothing to propose.
 */
export function planNext(open: OpenProposal | null, wanted: Wanted, { newId, nowMs }: Making): OpenProposal | null {
  const { changes, restore } = wanted;
  if (open !== null && isSameSet(open, wanted)) return open;
  if (open !== null) return { ...open, seq: toNextSeq(open.seq, nowMs), changes, restore, earlier: toEarlier(open) };
  return changes.length === 0 ? null : { id: newId(), seq: 1, changes, restore, acknowledged: null, earlier: [] };
}

const SEQ_EPOCH_MS = Date.UTC(2026, 0, 1);
/** Of a clock, whatever it says: what rises from there stays below the bound of the wire. */
const CLOCK_SEQ_MAX = 900_000_000;

/**
 * Goes with the clock: an outcome names the set that it is about by this number alone, and a machine that was put back
 * from a backup must not give it to another set than one that it has sent since, and forgotten.
 */
function toNextSeq(seq: number, nowMs: number): number {
  const seconds = Math.floor((nowMs - SEQ_EPOCH_MS) / 1_000);
  return Math.max(seq + 1, Math.min(seconds, CLOCK_SEQ_MAX));
}

function isSameSet(open: Wanted, wanted: Wanted): boolean {
  const shape = ({ changes }: Wanted) =>
    JSON.stringify(changes.map(({ key, blob, baseBlob }) => [key, blob, baseBlob]).sort());
  return shape(open) === shape(wanted) && JSON.stringify(open.restore) === JSON.stringify(wanted.restore);
}

function toEarlier({ seq, changes, earlier }: OpenProposal): SentSet[] {
  const set = { seq, changes: changes.map(({ key, blob }) => ({ key, blob })) };
  return [set, ...earlier].slice(0, LIMITS.earlierSetsMax);
}

/** Keys of a set whose text is the one that a person has brought back on purpose. */
export function listRestored(changes: readonly Pick<SentChange, "key" | "blob">[], marks: Marks): string[] {
  const isRestored = ({ key, blob }: (typeof changes)[number]) =>
    blob !== null && marks.get(key)?.restore?.blob === blob;
  return changes.filter(isRestored).map(({ key }) => key);
}

/**
 * Whether a key that was named still means what the person saw: a pull may put another text in its place, or find that the
 * team has removed it, and nobody brings back what they did not know to be gone.
 */
export function isStillMeant(key: string, before: Marks, after: Marks): boolean {
  const isOther = after.get(key)?.conflict?.attic !== before.get(key)?.conflict?.attic;
  return !isOther && (isRemovedByTeam(before.get(key)) || !isRemovedByTeam(after.get(key)));
}

function isRemovedByTeam(marks: KeyMarks | undefined): boolean {
  return marks?.held?.because === "removed_by_team";
}

/** The service has it. Null: it was withdrawn by an empty set. */
export function planAcknowledged(
  open: OpenProposal | null,
  set: WantedSet,
  answer: { readonly url: string; readonly atMs: number },
): OpenProposal | null {
  if (open === null || set.changes.length === 0) return null;
  return { ...open, acknowledged: { seq: open.seq, ...answer }, earlier: [] };
}

/** The service is at a later set than this outbox remembers: the next one goes on from there. */
export function planRaised(open: OpenProposal, seq: number, nowMs: number): OpenProposal {
  return { ...open, seq: toNextSeq(seq, nowMs), acknowledged: null };
}

export interface Settled {
  readonly steps: readonly PushStep[];
  readonly set: WantedSet;
  readonly named: ReadonlySet<string>;
}

/**
 * What is sent, or was named and has nothing to send, is a person's decision by now: what held it back before is
 * forgotten; so are removals of memories that nobody had reviewed, once no proposal holds them.
 */
export function planMarksSettled(marks: Marks, { steps, set, named }: Settled): Marks {
  const sent = new Set(set.changes.map(({ key }) => key));
  const after = new Map(marks);
  for (const { kind, key } of steps) {
    const before = marks.get(key);
    if (before === undefined) continue;
    const isSettled = kind === "send" ? sent.has(key) : kind === "none" && named.has(key);
    const settled = isSettled ? without(before, "held", "rejected", "conflict", "refused", "apart") : before;
    after.set(key, settled.removal?.blob === null && !sent.has(key) ? without(settled, "removal") : settled);
  }
  return after;
}

export interface RefusedSet {
  readonly sent: { readonly changes: readonly Pick<SentChange, "key" | "blob">[] };
  /** Null: it would be refused in any proposal. */
  readonly proposal: string | null;
}

/** What the service would not take waits, as it was sent: every session would ask again, and be refused again. */
export function planMarksRefused(marks: Marks, keys: readonly KeyProblem[], { sent, proposal }: RefusedSet): Marks {
  const blobOf = new Map(sent.changes.map(({ key, blob }) => [key, blob]));
  const refused = keys.flatMap(({ key, code, message }): [string, KeyMarks][] => {
    const blob = blobOf.get(key);
    if (blob === undefined) return [];
    const said = message.slice(0, LIMITS.refusalLengthMax);
    return [[key, { ...marks.get(key), refused: { blob, proposal, code, message: said } }]];
  });
  return refused.length === 0 ? marks : new Map([...marks, ...refused]);
}

/** Once a day is often enough; a clock that was set back says nothing of when to ask again. */
export function isStillForbidden({ atMs }: Pick<Forbidden, "atMs">, nowMs: number): boolean {
  const ageMs = nowMs - atMs;
  return ageMs >= 0 && ageMs < LIMITS.forbiddenRetryMs;
}
