import { LIMITS } from "../../../shared/limits.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { lookAgain } from "../folder/folder-sight.ts";
import { readLocal, toFact } from "../folder/read-local.ts";
import { NO_MARKS } from "../state/marks.ts";
import { type Arrival, toPackName } from "../state/pristine.ts";
import { isGone } from "../state/pristine-record.ts";
import { type CarriedOut, carryOut } from "./carry-out.ts";
import { type Newest, readNewest, updateNewest } from "./newest.ts";
import { type KeyFacts, type PlannedStep, type PullStep, planPull } from "./plan-pull.ts";
import { toReport } from "./report.ts";
import {
  editServedTree,
  findBlob,
  hasFoldedTwin,
  idOfServedTree,
  readServedTree,
  type ServedTree,
} from "./served-tree.ts";
import type { Answer, Settled, SettleRequest } from "./settle.ts";
import { toArrivals } from "./to-arrivals.ts";

/**
 * The same pull where few memories changed and nothing here has: it looks at the keys that came and at nothing else, so
 * that one change among ten thousand costs what one change costs. Wherever anything is out of the ordinary it gives up,
 * before it has done anything, and `settle` does it with everything at hand.
 */
export function settleQuickly(request: SettleRequest & { answer: Answer }): Settled | null {
  const { context, state, answer } = request;
  const { head } = state;
  const startedAtMs = Date.now();
  if (!isOrdinary(request) || lookAgain(context.teamDir, head.sight) === null) return null;
  const before = readServedTree(context.stateFolder, head.tree);
  const newest = readNewest(context.stateFolder, head.tree);
  if (before === null || newest === null) return null;
  const arrivals = toArrivals(answer.response);
  const tree = editServedTree(before, arrivals);
  if (idOfServedTree(tree) !== answer.response.tree) return null;
  const facts = arrivals.map((arrival) => toFacts(request, arrival, before));
  const hasLocals = head.sight === null || head.sight.locals.length > 0;
  if (!facts.every((fact) => isQuiet(fact, before, hasLocals))) return null;
  const steps = planPull(facts, {
    isFirst: false,
    isUnsure: false,
    placedFiles: head.memories,
    acceptRemovals: request.acceptRemovals,
  });
  if (!steps.every(isPlain)) return null;
  const carried = carryOutQuickly(request, { arrivals, tree, newest, steps, facts, startedAtMs });
  return (
    carried && {
      carried,
      report: toReport({ steps, facts, marks: state.marks, decided: NOTHING, carried, listing: null }),
    }
  );
}

const NOTHING = { reported: [] };

function isOrdinary({ state, answer }: SettleRequest & { answer: Answer }): boolean {
  const { head, outbox, marks, isFirst, isUnsure } = state;
  const { upserts, removals, full } = answer.response;
  const touched = [...upserts.map(({ key }) => key), ...removals];
  const isSent = (key: string) => outbox.open?.changes.some((change) => change.key === key) === true;
  const outcome = outbox.open === null ? null : answer.outcomes.get(outbox.open.id);
  const isUnsaid = outcome === null || (outcome?.state === "open" && outcome.rejected.length === 0);
  return (
    !isFirst &&
    !isUnsure &&
    !full &&
    !head.isUnsettled &&
    isUnsaid &&
    touched.length <= TOUCHED_MAX &&
    head.packs.length < LIMITS.pristinePacksMax &&
    !touched.some((key) => marks.has(key) || isSent(key))
  );
}

/** Beyond this, looking at all is as fast. */
const TOUCHED_MAX = 64;

function toFacts({ context, state }: SettleRequest, arrival: Arrival, before: ServedTree): KeyFacts {
  const key = arrival.key as MemoryKey;
  const local = readLocal(context.teamDir, key);
  const remote = isGone(arrival) ? null : arrival.canonicalBlob;
  const base = findBlob(before, key);
  return { key, base, remote, local: toFact(local), proposed: null, marks: state.marks.get(key) ?? NO_MARKS };
}

/** Here lies just what was placed, or nothing where nothing was, and no name that some disk takes for the new one. */
function isQuiet({ key, base, local }: KeyFacts, before: ServedTree, hasLocals: boolean): boolean {
  if (base !== null) return local.kind === "file" && local.blob === base;
  return local.kind === "absent" && !hasLocals && !hasFoldedTwin(before, key);
}

function isPlain(step: PlannedStep): step is PullStep {
  return step.kind === "remove" || (step.kind === "place" && step.parks === null) || step.kind === "keep";
}

interface Parts {
  readonly arrivals: readonly Arrival[];
  readonly tree: ServedTree;
  readonly newest: Newest;
  readonly steps: readonly PullStep[];
  readonly facts: readonly KeyFacts[];
  readonly startedAtMs: number;
}

function carryOutQuickly({ context, state, answer, attic }: SettleRequest & { answer: Answer }, parts: Parts) {
  const { arrivals, tree, steps, facts } = parts;
  const { head } = state;
  const { response, etag } = answer;
  const upserts = arrivals.flatMap((arrival) => (isGone(arrival) ? [] : [arrival]));
  const removals = arrivals.filter(isGone).map(({ key }) => key);
  const added = facts.filter(({ base, remote }) => base === null && remote !== null).length;
  const memories = head.memories + added - removals.length;
  const change = { tree: response.tree, total: memories, upserts, removals };
  const newest = updateNewest(parts.newest, change);
  if (newest === null) return null;
  const texts = new Map(upserts.map(({ key, text }) => [key, toCanonical(text)]));
  const bases = new Map(facts.map(({ key, base }) => [key, base]));
  const { revision, quarantined } = response;
  const next = { ...head, tree: response.tree, revision, quarantined, etag, memories };
  return carryOut({
    context,
    attic,
    steps,
    bases: new Map(),
    arrivals,
    packName: toPackName(head.packs, response.tree),
    packsBefore: head.packs,
    textOf: ({ key }) => texts.get(key) ?? "",
    baseOf: (key) => bases.get(key) ?? null,
    before: state,
    next: { ...state, head: next },
    tree,
    newestWithout: (unplaced) => updateNewest(newest, { ...change, upserts: [], removals: [...unplaced] }) ?? newest,
    folders: head.sight?.folders ?? [],
    hasIndex: true,
    locals: (head.sight?.locals ?? []).map(({ path }) => path),
    startedAtMs: parts.startedAtMs,
  }) satisfies CarriedOut;
}
