/** Looks at the remote again: what the base gained, which branches there are, what follows from both. */
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import { type ProposalBranch, readProposal } from "../proposal/read-proposal.ts";
import { BASE_REF, fromProposalRef, PROPOSALS_PREFIX } from "../proposal/refs.ts";
import { applyReconcile } from "./apply-reconcile.ts";
import { BASES_FILE } from "./bases-file.ts";
import { judgeHeldBase, recordHolds } from "./held-world.ts";
import { readProjects } from "./read-projects.ts";
import { isEnded, planReconcile } from "./reconcile.ts";
import { recordReplaced } from "./replaced-bases.ts";
import { takeOutcomes } from "./take-outcomes.ts";
import { withOpen } from "./world.ts";

/**
 * Runs in turn. The old world stays where anything fails.
 * @throws TeamMemoryError unavailable where the base is gone, and whatever the port throws
 */
export async function refreshWorld(context: EngineContext): Promise<void> {
  const before = context.world();
  await context.git.refresh();
  const lookedAt = context.clock();
  const bases = await context.state.read(BASES_FILE);
  const verdict = await judgeHeldBase(context, bases);
  const [baseHold, reviewed] = verdict === "accepted" ? [null, "all" as const] : [verdict, NOBODY];
  const { base, heads } = await readRefs(context);
  await context.history.catchUp(base);
  await recordReplaced(context, before, bases, base);
  const index = context.history.index();
  const landed = [...heads].filter(([, head]) => index.ordinal(head) !== undefined).map(([id, head]) => ({ id, head }));
  const outcomes = await context.outcomes.read();
  const read = await readOpen(context, heads, before.open);
  const open = new Map([...read].filter(([, proposal]) => !isEnded({ index, outcomes }, proposal)));
  const gone = [...before.open.values()].filter(({ id }) => !heads.has(id));
  const verdicts = context.desk === null ? new Map() : await context.desk.verdicts([...open.values()], gone);
  const occupied = new Set([...heads.keys()].filter((id) => !open.has(id)));
  const projects = await readProjects(context, before, { base, bases, reviewed });
  // Those that are gone stay until it is said what became of them: whoever asks meanwhile is not told that there are none.
  const shown = new Map([...open, ...gone.map((proposal) => [proposal.id, proposal] as const)]);
  context.install(withOpen({ ...projects, base, baseHold, occupied, outcomes, lookedAt }, shown));
  await recordHolds(context, before, bases);
  const facts = { index, outcomes, open: read.values(), landed, gone, verdicts, now: context.clock() };
  const untold = await applyReconcile(context, planReconcile(facts));
  const told = new Set(gone.map(({ id }) => id).filter((id) => !untold.has(id)));
  await takeOutcomes(context, (now) => new Map([...now].filter(([id]) => !told.has(id))));
  await rememberBranches(context);
}

const NOBODY: ReadonlySet<never> = new Set();

/** So that one that is deleted while the service is down is missed when it is back. */
export async function rememberBranches(context: EngineContext): Promise<void> {
  await context.knownBranches.write(new Map([...context.world().open].map(([id, { head }]) => [id, head])));
}

/** @throws TeamMemoryError unavailable: an empty base in its place would take every client's memories away */
export async function readBase({ git }: Pick<EngineContext, "git">): Promise<GitId> {
  const base = await git.readRef(BASE_REF);
  if (base !== null) return base;
  throw new TeamMemoryError("unavailable", `Could not find the base ${BASE_REF} in the repository`);
}

/**
 * The branches first: whoever merges one moves the base, then deletes it. The other way round a base from before the merge
 * and the branches from after it would say that the proposal is gone, and was never merged.
 */
async function readRefs(context: EngineContext): Promise<{ base: GitId; heads: ReadonlyMap<string, GitId> }> {
  const heads = await readHeads(context);
  return { base: await readBase(context), heads };
}

/** By proposal id; other branches that people make there are left alone. */
async function readHeads({ git, log }: EngineContext): Promise<ReadonlyMap<string, GitId>> {
  const heads = [...(await git.readRefs(PROPOSALS_PREFIX))].flatMap(([ref, head]) => {
    const id = fromProposalRef(ref);
    return id === null ? [] : [[id, head] as const];
  });
  if (heads.length > LIMITS.proposalBranchesMax) log.warn({ branches: heads.length }, "Too many proposal branches");
  return new Map(heads.slice(0, LIMITS.proposalBranchesMax));
}

/** The open proposals among the branches; `known` ones whose branch has not moved are not read again. */
export async function readOpen(
  context: EngineContext,
  heads: ReadonlyMap<string, GitId>,
  known: ReadonlyMap<string, OpenProposal>,
): Promise<ReadonlyMap<string, OpenProposal>> {
  const index = context.history.index();
  const open = new Map<string, OpenProposal>();
  const branches = [...heads];
  for (let start = 0; start < branches.length; start += LIMITS.branchesReadAtOnceMax) {
    const group = branches.slice(start, start + LIMITS.branchesReadAtOnceMax).map(([id, head]) => {
      const before = known.get(id);
      return isCurrent(index, head, before) ? before : tryRead(context, { id, head }, before);
    });
    for (const proposal of await Promise.all(group)) if (proposal !== null) open.set(proposal.id, proposal);
  }
  return open;
}

/** What was read of a branch holds while its head stays, and while the base has neither taken from it nor lost its start. */
function isCurrent(index: HistoryIndex, head: GitId, known: OpenProposal | undefined): known is OpenProposal {
  if (known?.head !== head || index.ordinal(known.fork) === undefined) return false;
  if (known.mergesSeen !== index.merges(known.id).length) return false;
  return known.commits.every((commit) => index.ordinal(commit) === undefined);
}

async function tryRead(
  context: EngineContext,
  branch: ProposalBranch,
  known: OpenProposal | undefined,
): Promise<OpenProposal | null> {
  try {
    return await readProposal(context, context.history.index(), branch);
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    context.log.error({ err: error, proposal: branch.id }, "A proposal's branch could not be read");
    return known ?? null;
  }
}
