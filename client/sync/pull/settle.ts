import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import { countOf } from "../../count-of.ts";
import type { SyncContext } from "../context.ts";
import { blockedKey } from "../folder/blocked-key.ts";
import { bootedAtMs, hasRestarted } from "../folder/folder-sight.ts";
import { listTeam, type TeamListing } from "../folder/list-team.ts";
import { ensureTeamDir } from "../folder/open-folder.ts";
import { type Merged, type Resolved, resolveMerges } from "../merge/resolve-merges.ts";
import type { Attic } from "../state/attic.ts";
import type { Head } from "../state/head.ts";
import { NO_MARKS } from "../state/marks.ts";
import { findSentText } from "../state/outbox.ts";
import { sweepPacks, toPackName } from "../state/pristine.ts";
import type { OpenedState } from "../state/state.ts";
import { planWish, type Wish } from "../wish/plan-wish.ts";
import { type CarriedOut, carryOut, type Work } from "./carry-out.ts";
import { planPack } from "./compact-packs.ts";
import { type Copies, receiveCopies, toRemoteText } from "./copies.ts";
import { baseOf, type Gathered, gatherFacts } from "./gather-facts.ts";
import { readLocalFaces } from "./local-faces.ts";
import { markApart } from "./mark-apart.ts";
import { buildNewest, type ShownMemory, toShown } from "./newest.ts";
import { type Decided, decide } from "./outcomes.ts";
import type { PullResponse } from "./parse-pull-response.ts";
import { type PlaceStep, type PlannedStep, planPull } from "./plan-pull.ts";
import { type PullReport, toReport } from "./report.ts";
import { sweepStrays } from "./sweep-strays.ts";

/**
 * A pull with everything at hand: all pristine copies, all names under team/. What the service sent may be nothing at all;
 * then this puts back what is missing and tries again what could not be placed.
 */
export interface Answer {
  readonly response: PullResponse;
  readonly etag: string | null;
  readonly outcomes: ReadonlyMap<string, ProposalOutcome>;
}

export interface SettleRequest {
  readonly context: SyncContext;
  readonly state: OpenedState;
  readonly answer: Answer | null;
  readonly attic: Attic;
  readonly acceptRemovals: boolean;
  /** What a person asks for one key by name. */
  readonly wish?: Wish;
  readonly progress: (text: string) => void;
}

export interface Settled {
  readonly report: PullReport;
  readonly carried: CarriedOut;
}

/**
 * @throws TeamMemoryError `bad_response` where the texts do not add up to the tree, `state_damaged` where the pristine
 * copies are gone: both are answered by asking for everything
 * @throws PathTraversalError, TeamMemoryError `disk`, `disk_full`: nothing has changed
 */
export async function settle(request: SettleRequest): Promise<Settled> {
  const { context, state, answer, attic } = request;
  const startedAtMs = Date.now();
  const copies = receiveCopies(context.stateFolder, state.head, answer?.response ?? null);
  const decided = decide(state, answer?.outcomes ?? new Map());
  const listing = openListing(context.teamDir, attic);
  const gathered = gatherFacts({
    ...copies,
    ...decided,
    teamDir: context.teamDir,
    listing,
    asked: request.wish?.key ?? null,
    restartedAtMs: state.head.sight !== null && hasRestarted(state.head.sight) ? bootedAtMs() : null,
  });
  const planned = plan(request, gathered, copies);
  if (planned.length > 0) request.progress(`Looking at ${countOf(planned.length, "memory", "memories")}`);
  const resolved = await resolve(request, { copies, decided, gathered, planned });
  const { steps } = resolved;
  const local = await readLocalFaces({ ...resolved, gathered, outbox: state.outbox, reviewed: copies.after });
  const carried = carryOut(toWork(request, { copies, decided, listing, resolved, local, startedAtMs }));
  sweepPacks(context.stateFolder, carried.state.head);
  return { carried, report: toReport({ steps, facts: gathered.facts, marks: state.marks, decided, carried, listing }) };
}

/** @throws TeamMemoryError `disk` where a wish cannot be granted: what lies there is not ours to move */
function plan({ state, acceptRemovals, wish }: SettleRequest, { facts }: Gathered, { before }: Copies): PlannedStep[] {
  const asked = facts.find(({ key }) => key === wish?.key);
  const others = facts.filter((one) => one !== asked);
  const steps = planPull(others, {
    isFirst: state.isFirst,
    isUnsure: state.isUnsure,
    placedFiles: before.size,
    acceptRemovals,
  });
  if (asked === undefined || wish === undefined) return steps;
  const step = planWish(asked, wish);
  if (step === null) throw blockedKey(wish.key, asked.local);
  return [...steps, step];
}

interface Planned {
  readonly copies: Copies;
  readonly decided: Decided;
  readonly gathered: Gathered;
  readonly planned: readonly PlannedStep[];
}

async function resolve(request: SettleRequest, planned: Planned): Promise<Resolved> {
  const { wish } = request;
  const wished = wish?.kind === "take" ? [[wish.key, wish.text] as const] : [];
  const resolved = resolveMerges(planned.planned, await openMerge(request, planned));
  const steps = markApart(resolved.steps, planned.gathered.facts, planned.decided.outbox.open);
  return { ...resolved, steps, given: new Map([...wished, ...resolved.given]) };
}

/** What merges is loaded where there is something to merge. */
async function openMerge({ context, state }: SettleRequest, { copies, gathered, planned }: Planned) {
  if (!planned.some(({ kind }) => kind === "merge")) return asConflict;
  const [{ toMerge }, { mergeMemory }] = await Promise.all([
    import("../merge/merge-texts.ts"),
    import("../../../shared/sync/merge-memory.ts"),
  ]);
  const { packs } = state.head;
  const sources = { stateFolder: context.stateFolder, copies, packs, outbox: state.outbox, local: gathered.texts };
  return toMerge(sources, mergeMemory);
}

function asConflict(): Merged {
  return { kind: "conflict", base: null };
}

function openListing(teamDir: string, attic: Attic): TeamListing {
  ensureTeamDir(teamDir);
  const listing = listTeam(teamDir);
  if (listing === null) throw new TeamMemoryError("disk", `The team folder went away: ${teamDir}`);
  sweepStrays({ teamDir, attic, strays: listing.strays, known: new Set() });
  return listing;
}

interface Parts {
  readonly copies: Copies;
  readonly decided: Decided;
  readonly listing: TeamListing;
  readonly resolved: Resolved;
  readonly local: readonly ShownMemory[];
  readonly startedAtMs: number;
}

function toWork(request: SettleRequest, parts: Parts): Work {
  const { context, state, answer, attic } = request;
  const { copies, decided, listing, resolved, local, startedAtMs } = parts;
  const head = toNextHead(state.head, answer, parts);
  const kept = answer?.response.full === true ? [] : state.head.packs;
  return {
    context,
    attic,
    steps: resolved.steps,
    bases: resolved.bases,
    ...planPack(context.stateFolder, kept, copies),
    packName: toPackName(state.head.packs, head.tree),
    textOf: toTextOf(request, parts),
    baseOf: (key) => baseOf(key, state.marks.get(key) ?? NO_MARKS, copies.before),
    // Of lost marks what could be found again is written, as if it were new.
    before: state.isUnsure ? { ...state, marks: new Map() } : state,
    next: { head, marks: decided.marks, outbox: decided.outbox },
    tree: copies.tree,
    newestWithout: (unplaced) => {
      const reviewed = [...copies.after.values()].filter(({ key }) => !unplaced.has(key));
      return buildNewest(head.tree, reviewed.map(toShown), local);
    },
    folders: listing.folders,
    hasIndex: listing.hasIndex,
    locals: listLocals(parts),
    startedAtMs,
  };
}

/** Read for the index, or empty still: what a writer has made and not yet written. */
function listLocals({ copies, listing, resolved }: Parts): string[] | null {
  if (listing.unreadable.length > 0) return null;
  const keys = new Set<string>(listing.files);
  for (const { kind, key } of resolved.steps) {
    if (kind === "place") keys.add(key);
    if (kind === "remove") keys.delete(key);
  }
  return [...keys].filter((key) => !copies.after.has(key));
}

/** The canonical text that a step places. */
function toTextOf({ context, state }: SettleRequest, { copies, resolved }: Parts): (step: PlaceStep) => string {
  const toRemote = toRemoteText(context.stateFolder, copies);
  return ({ key, text }) => {
    if (text === "remote") return toRemote(key);
    if (text === "given") return resolved.given.get(key) ?? "";
    return findSentText(state.outbox, key) ?? "";
  };
}

function toNextHead(head: Head, answer: Answer | null, { copies, decided }: Parts): Head {
  const { open } = decided.outbox;
  const known = { ...head, memories: copies.after.size, proposals: open === null ? [] : [open.id] };
  if (answer === null) return known;
  const { tree, revision, quarantined } = answer.response;
  return { ...known, tree, revision, quarantined, etag: answer.etag };
}
