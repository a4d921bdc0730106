import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";
import { type CarriedOut, carryOut, type Work } from "./carry-out.ts";
import { planPack } from "./compact-packs.ts";
import type { SyncContext } from "./context.ts";
import { type Copies, receiveCopies, toTextOf } from "./copies.ts";
import { bootedAtMs, hasRestarted } from "./folder-sight.ts";
import { baseOf, type Gathered, gatherFacts } from "./gather-facts.ts";
import { listTeam, type TeamListing } from "./list-team.ts";
import { readLocalFaces } from "./local-faces.ts";
import { buildNewest, type ShownMemory, toShown } from "./newest.ts";
import { ensureTeamDir } from "./open-folder.ts";
import { type Decided, decide } from "./outcomes.ts";
import type { PullResponse } from "./parse-pull-response.ts";
import { type PullStep, planPull, planRevert } from "./plan-pull.ts";
import { type PullReport, toReport } from "./report.ts";
import type { Attic } from "./state/attic.ts";
import type { Head } from "./state/head.ts";
import { NO_MARKS } from "./state/marks.ts";
import { sweepPacks, toPackName } from "./state/pristine.ts";
import type { OpenedState } from "./state/state.ts";
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
  /** `restore KEY`: back to the team's text. */
  readonly revert?: MemoryKey;
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
  const copies = receiveCopies(context.stateFolder, state.head, answer?.response ?? null);
  const decided = decide(state, answer?.outcomes ?? new Map());
  const listing = openListing(context.teamDir, attic);
  const gathered = gatherFacts({
    ...copies,
    ...decided,
    teamDir: context.teamDir,
    listing,
    asked: request.revert ?? null,
    restartedAtMs: state.head.sight !== null && hasRestarted(state.head.sight) ? bootedAtMs() : null,
  });
  const steps = plan(request, gathered, copies);
  if (steps.length > 0) request.progress(`Looking at ${steps.length} memories`);
  const local = await readLocalFaces({ gathered, steps, outbox: decided.outbox });
  const carried = carryOut(toWork(request, { copies, decided, listing, gathered, steps, local }));
  sweepPacks(context.stateFolder, carried.state.head);
  return { carried, report: toReport({ steps, marks: state.marks, decided, carried, listing }) };
}

function plan({ state, acceptRemovals, revert }: SettleRequest, { facts }: Gathered, { before }: Copies): PullStep[] {
  const reverted = facts.find(({ key }) => key === revert);
  const step = reverted === undefined ? null : planRevert(reverted);
  const others = step === null ? facts : facts.filter((one) => one !== reverted);
  const steps = planPull(others, { isFirst: state.isFirst, placedFiles: before.size, acceptRemovals });
  return step === null ? steps : [...steps, step];
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
  readonly gathered: Gathered;
  readonly steps: readonly PullStep[];
  readonly local: readonly ShownMemory[];
}

function toWork({ context, state, answer, attic }: SettleRequest, parts: Parts): Work {
  const { copies, decided, listing, steps, local } = parts;
  const head = toNextHead(state.head, answer, parts);
  const kept = answer?.response.full === true ? [] : state.head.packs;
  return {
    context,
    attic,
    steps,
    ...planPack(context.stateFolder, kept, copies),
    packName: toPackName(state.head.packs, head.tree),
    textOf: toTextOf(context.stateFolder, copies, state.outbox),
    baseOf: (key) => baseOf(key, state.marks.get(key) ?? NO_MARKS, copies.before),
    before: state,
    next: { head, marks: decided.marks, outbox: decided.outbox },
    tree: copies.tree,
    newestWithout: (unplaced) => {
      const reviewed = [...copies.after.values()].filter(({ key }) => !unplaced.has(key));
      return buildNewest(head.tree, reviewed.map(toShown), local);
    },
    folders: listing.folders,
    hasIndex: listing.hasIndex,
  };
}

function toNextHead(head: Head, answer: Answer | null, { copies, decided }: Parts): Head {
  const { open } = decided.outbox;
  const known = { ...head, memories: copies.after.size, proposals: open === null ? [] : [open.id] };
  if (answer === null) return known;
  const { tree, revision } = answer.response;
  return { ...known, tree, revision, etag: answer.etag };
}
