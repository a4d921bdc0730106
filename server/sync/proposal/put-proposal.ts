/** The client's push: read where the proposal stands, plan, do. A lost race reads and plans again. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Proposal, ProposalRequest } from "../../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import type { Attempt } from "../../state/retry-lost-race.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import type { Person } from "../person.ts";
import type { TurnContext } from "../world/turn-context.ts";
import { closeBranch } from "./close-branch.ts";
import { commitToBranch, type ProposalWords } from "./commit-proposal.ts";
import { findFinished } from "./find-finished.ts";
import { findUnfit } from "./find-unfit.ts";
import type { Outcome } from "./outcome.ts";
import { parseRequest, type WantedChange, type WantedSet } from "./parse-request.ts";
import { type CommitPlan, planProposal } from "./plan-proposal.ts";
import { presentFinished, presentOpen } from "./present-proposal.ts";
import type { OpenProposal } from "./proposal.ts";
import { toTitle } from "./to-title.ts";

export interface PutProposal {
  readonly project: ProjectName;
  readonly id: string;
  readonly request: ProposalRequest;
  readonly person: Person;
}

export interface PutResult {
  readonly created: boolean;
  readonly proposal: Proposal;
}

/**
 * @throws TeamMemoryError forbidden, conflict, sequence_conflict, unprocessable_proposal, too_large, too_many_proposals,
 * lost_race, secret_found (its title, or a project named by one: both would become part of a commit)
 */
export async function putProposal(context: TurnContext, put: PutProposal): Promise<PutResult> {
  assertNoSecretFields({ project: put.project });
  const wanted = parseRequest(put.request);
  return context.together(`proposal ${put.id}`, () => tryPut(context, put, wanted));
}

async function tryPut(context: TurnContext, put: PutProposal, wanted: WantedSet): Promise<Attempt<PutResult>> {
  const world = context.world();
  const presentation = { index: context.history.index(), publicUrl: context.publicUrl };
  const open = world.open.get(put.id) ?? null;
  const finished = open === null ? findFinished({ ...presentation, outcomes: world.outcomes }, put.id) : null;
  assertOwner(put, open, finished);
  if (finished !== null) return done(false, presentFinished(presentation, finished));
  if (world.occupied.has(put.id)) {
    throw new TeamMemoryError("conflict", `Could not use proposal id ${put.id}: a branch of that name is no proposal`);
  }
  const said = world.outcomes.get(put.id) ?? null;
  const snapshot = await currentSnapshot(context, put.project);
  const { index } = presentation;
  const unfit = open === null ? new Set<string>() : await findUnfit(context.texts, open, wanted);
  const plan = planProposal({ wanted, snapshot, index, base: world.base, open, said, unfit });
  if (plan.kind === "commit") return commit(context, { put, wanted, open, plan });
  if (open !== null && plan.kind === "same") return done(false, presentOpen(presentation, open, said));
  const outcome = toOutcome({ put, wanted, open, state: plan.kind === "finish" ? plan.state : "withdrawn" }, context);
  if (open !== null && !(await closeBranch(context, open, outcome))) return { kind: "lost" };
  return done(false, presentFinished(presentation, outcome));
}

function done(created: boolean, proposal: Proposal): Attempt<PutResult> {
  return { kind: "done", result: { created, proposal } };
}

/** @throws TeamMemoryError conflict, forbidden */
function assertOwner({ id, project, person }: PutProposal, open: OpenProposal | null, finished: Outcome | null): void {
  const known = open ?? finished;
  if (known === null) return;
  if (known.project !== project) {
    throw new TeamMemoryError("conflict", `Could not use proposal id ${id}: it belongs to another project`);
  }
  const owner = typeof known.person === "string" ? known.person : known.person.id;
  if (owner !== person.id) {
    throw new TeamMemoryError("forbidden", `Could not change proposal ${id}: it belongs to another person`);
  }
}

interface Commit {
  readonly put: PutProposal;
  readonly wanted: WantedSet;
  readonly open: OpenProposal | null;
  readonly plan: CommitPlan;
}

async function commit(context: TurnContext, commit: Commit): Promise<Attempt<PutResult>> {
  const { put, wanted, open, plan } = commit;
  if (open === null) assertRoom(context, put.project);
  await writeTexts(context, wanted, plan);
  const proposal = await commitToBranch(context, { open, steps: plan.steps, ...toPutWords(commit) });
  if (proposal === null) return { kind: "lost" };
  const said = context.world().outcomes.get(put.id) ?? null;
  return done(
    open === null,
    presentOpen({ index: context.history.index(), publicUrl: context.publicUrl }, proposal, said),
  );
}

/** Those that others of this turn open count, too. @throws TeamMemoryError too_many_proposals */
function assertRoom(context: TurnContext, project: ProjectName): void {
  const open = (context.world().openByProject.get(project)?.length ?? 0) + context.claim(`room of ${project}`);
  if (open < LIMITS.openProposalsPerProjectMax) return;
  throw new TeamMemoryError("too_many_proposals", `Could not open another proposal: ${open} wait for review`);
}

/** Only what the plan commits: a text that was refused never becomes a git object. */
async function writeTexts({ git }: EngineContext, { changes }: WantedSet, { steps }: CommitPlan): Promise<void> {
  const isCommitted = ({ key, blob }: WantedChange) => steps.some(({ blobs }) => blobs.get(key) === blob);
  const texts = changes.flatMap((change) => (change.text !== null && isCommitted(change) ? [change.text] : []));
  const encoder = new TextEncoder();
  for (let start = 0; start < texts.length; start += LIMITS.gitObjectsAtOnceMax) {
    const group = texts.slice(start, start + LIMITS.gitObjectsAtOnceMax);
    await Promise.all(group.map((text) => git.writeBlob(encoder.encode(text))));
  }
}

function toPutWords({ put, wanted, open, plan }: Commit): ProposalWords {
  const { id: proposal, project, person } = put;
  const { seq, content } = wanted;
  const given = toGivenTitle(wanted, open);
  const rest = { isTitled: given !== null, sent: plan.sent, reviewer: null, head: null, part: false };
  return {
    author: person,
    title: given ?? toTitle(plan.net),
    trailers: { proposal, project, person: person.id, seq, content, ...rest },
    isSealed: true,
  };
}

/** A title stays until another one is given. */
function toGivenTitle({ title }: WantedSet, open: OpenProposal | null): string | null {
  return title ?? (open?.isTitled === true ? open.title : null);
}

interface Ending {
  readonly put: PutProposal;
  readonly wanted: WantedSet;
  readonly open: OpenProposal | null;
  readonly state: "withdrawn" | "merged" | "closed";
}

function toOutcome({ put, wanted, open, state }: Ending, context: EngineContext): Outcome {
  const now = context.clock().toISOString();
  const kept = state === "merged" ? "merged" : "rejected";
  const { id, project, person } = put;
  return {
    ...{ id, project, state },
    person: person.id,
    by: person.name,
    title: wanted.title ?? open?.title ?? toTitle(new Map(wanted.changes.map((change) => [change.key, change]))),
    seq: wanted.seq,
    reason: null,
    head: open?.head ?? null,
    createdAt: open?.createdAt.toISOString() ?? now,
    updatedAt: now,
    changes: wanted.changes.map(({ key, baseBlob, blob }) => ({ key, base: baseBlob, blob, state: kept })),
  };
}
