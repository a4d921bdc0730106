/**
 * The engine: one remote looked at, kept in memory and written to. Between two looks every answer comes from memory; a
 * write is a compare-and-swap on references, so any number of processes may share the remote.
 */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type {
  ApproveRequest,
  BaseResponse,
  CloseRequest,
  HeadResponse,
  HistoryResponse,
  MemoryResponse,
  Proposal,
  ProposalDetail,
  ProposalRequest,
  QuarantineResponse,
} from "../../shared/protocol/schemas.ts";
import type { GitId } from "../git/port.ts";
import { endSignalOf } from "../git/translate-git-error.ts";
import type { EngineContext } from "./engine-context.ts";
import type { EngineLog } from "./engine-log.ts";
import { type EngineStats, readStats } from "./engine-stats.ts";
import { type EngineOptions, openEngineContext, tellWaiters } from "./open-engine-context.ts";
import type { Person } from "./person.ts";
import { presentById } from "./proposal/present-by-id.ts";
import { type PutResult, putProposal } from "./proposal/put-proposal.ts";
import { approve } from "./review/approve.ts";
import { approveOnForge } from "./review/approve-on-forge.ts";
import { close } from "./review/close.ts";
import { readDetail } from "./review/read-detail.ts";
import { toDeskEngine, withReviewUrl } from "./review/to-desk-engine.ts";
import { type BodyQuery, buildMemoriesAnswers, type MemoriesAnswer } from "./serve/answer-memories.ts";
import {
  type ListedProject,
  listProjects,
  readHead,
  readHistory,
  readMemory,
  readQuarantine,
} from "./serve/read-project.ts";
import { BASES_FILE } from "./world/bases-file.ts";
import { assertNotHeld, holdsOf } from "./world/held-world.ts";
import { planAccept } from "./world/hold.ts";
import { refreshWorld, rememberBranches } from "./world/refresh-world.ts";
import { buildReplacedBases } from "./world/replaced-bases.ts";
import { buildTogether } from "./world/together.ts";
import { warmProjects } from "./world/warm-projects.ts";

/** `revision`: a commit that the answer must not be older than. */
export type MemoriesQuery = BodyQuery & { readonly revision?: GitId };

export interface Engine {
  listProjects(): Promise<readonly ListedProject[]>;
  head(project: ProjectName): Promise<HeadResponse>;
  /** `body` is the same object for the same project, `since` and tree. @throws TeamMemoryError behind */
  memories(project: ProjectName, query: MemoriesQuery): Promise<MemoriesAnswer>;
  /** The ETag that memories() would give. @throws TeamMemoryError behind */
  memoriesEtag(project: ProjectName, query: MemoriesQuery): Promise<string>;
  /** The same from memory alone, without a promise; null: ask. */
  recallEtag(project: ProjectName, query: MemoriesQuery): string | null;
  /** @throws TeamMemoryError not_found */
  memory(project: ProjectName, key: MemoryKey): Promise<MemoryResponse>;
  /** @throws TeamMemoryError not_found */
  history(project: ProjectName, key: MemoryKey): Promise<HistoryResponse>;
  quarantine(project: ProjectName): Promise<QuarantineResponse>;
  putProposal(project: ProjectName, id: string, request: ProposalRequest, person: Person): Promise<PutResult>;
  /** The open ones. */
  listProposals(project: ProjectName): Promise<readonly Proposal[]>;
  /** @throws TeamMemoryError not_found */
  proposal(project: ProjectName, id: string): Promise<ProposalDetail>;
  approve(project: ProjectName, id: string, request: ApproveRequest, reviewer: Person): Promise<Proposal>;
  close(project: ProjectName, id: string, request: CloseRequest, reviewer: Person): Promise<Proposal>;
  /** The revision that is served, and what is held back of the remote's. */
  base(): Promise<BaseResponse>;
  /** Goes on from what is held at this revision. @throws TeamMemoryError not_found */
  acceptBase(revision: GitId, reviewer: Person): Promise<void>;
  /** For whoever watches the service. */
  stats(): Promise<EngineStats>;
  /** Looks at the remote again: after a push to it, and by a timer. Calls that wait for their turn share one look. */
  refresh(): Promise<void>;
  /** Ends when the project has another tree than this, after the time, or when the signal says so. */
  waitForChange(project: ProjectName, tree: GitId, timeoutMs: number, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function buildEngine(options: EngineOptions): Promise<Engine> {
  const context = await openEngineContext(options);
  const answers = buildMemoriesAnswers(context);
  const refresh = shareRefresh(context);
  const together = buildTogether(context);
  const timer = setInterval(() => void tryRefresh(refresh, options.log), LIMITS.refreshIntervalMs).unref();
  const stopping = new AbortController();
  const warming = warmProjects(context, stopping.signal);

  const assertSeen = async (revision: GitId | undefined) => {
    if (revision === undefined || isSeen(revision)) return;
    await refresh();
    if (isSeen(revision) || (await wasReplaced(revision))) return;
    throw new TeamMemoryError("behind", `Could not find revision ${revision}: it has not reached this service`);
  };
  const wasReplaced = buildReplacedBases(context);
  const isSeen = (revision: GitId) => context.history.index().ordinal(revision) !== undefined;
  context.desk?.start(toDeskEngine(context, refresh));

  return {
    listProjects: () => listProjects(context),
    head: (project) => readHead(context, project),
    memories: async (project, { revision, ...query }) => {
      await assertSeen(revision);
      return answers.answer(project, query);
    },
    memoriesEtag: async (project, { revision, ...query }) => {
      await assertSeen(revision);
      return answers.etag(project, query);
    },
    recallEtag: (project, query) =>
      query.revision === undefined || isSeen(query.revision) ? answers.recallEtag(project, query) : null,
    memory: (project, key) => readMemory(context, project, key),
    history: async (project, key) => readHistory(context, project, key),
    quarantine: (project) => readQuarantine(context, project),
    putProposal: async (project, id, request, person) => {
      assertNotHeld(context, project);
      return withReviewUrl(context, await putProposal(together.join(id), { project, id, request, person }));
    },
    listProposals: async (project) =>
      (context.world().openByProject.get(project) ?? []).map(({ id }) => presentById(context, project, id)),
    proposal: (project, id) => readDetail(context, project, id),
    approve: async (project, id, { keys, head }, reviewer) => {
      assertNotHeld(context, project);
      const approval = { project, id, keys: keys ?? null, head: head ?? null, reviewer };
      if (await approveOnForge(context, approval)) await refresh();
      return approve(together.join(id), approval);
    },
    close: (project, id, { keys, reason }, reviewer) =>
      close(together.join(id), { project, id, keys: keys ?? null, reason, reviewer }),
    base: async () => ({ revision: context.world().base, held: [...holdsOf(context.world())] }),
    acceptBase: async (revision, reviewer) => {
      const at = context.clock().toISOString();
      await options.state.update(BASES_FILE, (bases) => planAccept(bases, revision, { by: reviewer.id, at }));
      await refresh();
    },
    stats: () => readStats(context),
    refresh: async () => {
      await refresh();
      context.desk?.wake();
    },
    waitForChange: async (project, tree, timeoutMs, signal) => {
      // Begun before the look, so that no change falls between the two.
      const waiting = context.waiters.wait(project, { tree, timeoutMs, signal });
      await Promise.all([waiting, tellWaiters(context, project)]);
    },
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await Promise.all([context.desk?.stop(), warming, context.inTurn(() => rememberBranches(context))]);
    },
  };
}

/** Whoever asks while a look still waits for its turn shares it: it begins after they asked. */
function shareRefresh(context: EngineContext): () => Promise<void> {
  let waiting: Promise<void> | null = null;
  return async () => {
    waiting ??= context.inTurn(() => {
      waiting = null;
      return refreshWorld(context);
    });
    await waiting;
    context.desk?.looked();
  };
}

async function tryRefresh(refresh: () => Promise<void>, log: EngineLog): Promise<void> {
  try {
    await refresh();
  } catch (error) {
    const signal = endSignalOf(error);
    if (signal !== null) log.info({ signal }, "A look at the remote was told to end");
    else log.error({ err: error }, "The remote could not be looked at; answers come from the last good look");
  }
}
