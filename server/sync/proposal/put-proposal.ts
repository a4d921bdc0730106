/** The client's push: read where the proposal stands, plan, do. A lost race reads and plans again. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Proposal } from "../../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import type { Attempt } from "../../state/retry-lost-race.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import type { TurnContext } from "../world/turn-context.ts";
import { closeBranch } from "./close-branch.ts";
import { commitToBranch } from "./commit-proposal.ts";
import { findFinished } from "./find-finished.ts";
import { findUnfit } from "./find-unfit.ts";
import { landWanted } from "./land-wanted.ts";
import type { Outcome } from "./outcome.ts";
import { parseRequest, type WantedSet } from "./parse-request.ts";
import { planLanding } from "./plan-landing.ts";
import { planProposal } from "./plan-proposal.ts";
import { toPresentation } from "./present-by-id.ts";
import { presentFinished, presentOpen } from "./present-proposal.ts";
import type { OpenProposal } from "./proposal.ts";
import type { ProposalFacts } from "./proposal-facts.ts";
import { toTitle } from "./to-title.ts";
import { type PutProposal, toPutWords, type WantedCommit, writeTexts } from "./wanted-commit.ts";

export interface PutResult {
  readonly created: boolean;
  readonly proposal: Proposal;
}

/**
 * @throws TeamMemoryError forbidden, conflict, sequence_conflict, unprocessable_proposal, too_large, too_many_proposals,
 * lost_race, secret_found (its title, its person, or a project named by one: all would become part of a commit)
 */
export async function putProposal(context: TurnContext, put: PutProposal): Promise<PutResult> {
  // A person's name may be older than the rule that finds it.
  assertNoSecretFields({ project: put.project, author: `${put.person.name} <${put.person.email}>` });
  const wanted = parseRequest(put.request);
  return context.together(`proposal ${put.id}`, () => tryPut(context, put, wanted));
}

/** `lands`: what needs no review there goes to the base first; what is left is then planned like any other set. */
async function tryPut(
  context: TurnContext,
  put: PutProposal,
  wanted: WantedSet,
  lands = context.reviewPolicy(put.project) === "direct",
): Promise<Attempt<PutResult>> {
  const ended = findEnded(context, put);
  if (ended !== null) return done(false, ended);
  const facts = await readFacts(context, put, wanted);
  const { open, said } = facts;
  const plan = planProposal(facts);
  if (plan.kind === "commit") {
    const landing = lands ? planLanding(facts, plan) : null;
    if (landing === null) return commit(context, { put, wanted, open, plan });
    const landed = await landWanted(context, { put, wanted, open, plan }, landing);
    return landed.kind === "lost" ? landed : tryPut(context, put, wanted, false);
  }
  if (open !== null && plan.kind === "same") return done(false, presentOpen(toPresentation(context), open, said));
  const outcome = toOutcome({ put, wanted, open, state: plan.kind === "finish" ? plan.state : "withdrawn" }, context);
  if (open !== null && !(await closeBranch(context, open, outcome))) return { kind: "lost" };
  return done(false, presentFinished(toPresentation(context), outcome));
}

/** What has become of one that is not open any more; null: it may go on, or begin. @throws TeamMemoryError conflict, forbidden */
function findEnded(context: EngineContext, put: PutProposal): Proposal | null {
  const { open, outcomes, occupied } = context.world();
  const index = context.history.index();
  const known = open.get(put.id);
  const finished = known === undefined ? findFinished({ index, outcomes }, put.id) : null;
  assertOwner(put, known ?? finished ?? index.merges(put.id).at(-1) ?? null);
  if (finished !== null) return presentFinished(toPresentation(context), finished);
  if (!occupied.has(put.id)) return null;
  throw new TeamMemoryError("conflict", `Could not use proposal id ${put.id}: a branch of that name is no proposal`);
}

async function readFacts(
  context: EngineContext,
  { id, project }: PutProposal,
  wanted: WantedSet,
): Promise<ProposalFacts> {
  const world = context.world();
  const open = world.open.get(id) ?? null;
  const snapshot = await currentSnapshot(context, project);
  const unfit = open === null ? new Set<string>() : await findUnfit(context.texts, open, wanted);
  const said = world.outcomes.get(id) ?? null;
  return { id, wanted, snapshot, index: context.history.index(), base: world.base, open, said, unfit };
}

function done(created: boolean, proposal: Proposal): Attempt<PutResult> {
  return { kind: "done", result: { created, proposal } };
}

/** `known`: the proposal, or what has become of it or of a part. @throws TeamMemoryError conflict, forbidden */
function assertOwner(
  { id, project, person }: PutProposal,
  known: (Pick<Outcome, "project"> & Pick<OpenProposal | Outcome, "person">) | null,
): void {
  if (known === null) return;
  if (known.project !== project) {
    throw new TeamMemoryError("conflict", `Could not use proposal id ${id}: it belongs to another project`);
  }
  const owner = typeof known.person === "string" ? known.person : known.person.id;
  if (owner !== person.id) {
    throw new TeamMemoryError("forbidden", `Could not change proposal ${id}: it belongs to another person`);
  }
}

async function commit(context: TurnContext, commit: WantedCommit): Promise<Attempt<PutResult>> {
  const { put, wanted, open, plan } = commit;
  if (open === null) assertRoom(context, put.project);
  await writeTexts(context.git, wanted, ({ key, blob }) => plan.steps.some(({ blobs }) => blobs.get(key) === blob));
  const proposal = await commitToBranch(context, { open, steps: plan.steps, ...toPutWords(commit) });
  if (proposal === null) return { kind: "lost" };
  const said = context.world().outcomes.get(put.id) ?? null;
  return done(open === null, presentOpen(toPresentation(context), proposal, said));
}

/** Those that others of this turn open count, too. @throws TeamMemoryError too_many_proposals */
function assertRoom(context: TurnContext, project: ProjectName): void {
  const open = (context.world().openByProject.get(project)?.length ?? 0) + context.claim(`room of ${project}`);
  if (open < LIMITS.openProposalsPerProjectMax) return;
  throw new TeamMemoryError("too_many_proposals", `Could not open another proposal: ${open} wait for review`);
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
