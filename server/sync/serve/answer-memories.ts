/**
 * The pull. A body depends on the project, its tree and the client's `since` alone, so one object serves every client that
 * asks the same; what concerns one client, the outcomes of its proposals, travels beside it.
 */
import { createHash } from "node:crypto";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { MemoriesResponse, ProposalOutcome, Upsert } from "../../../shared/protocol/schemas.ts";
import type { GitId } from "../../git/port.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import { findFinished } from "../proposal/find-finished.ts";
import { toPresentation } from "../proposal/present-by-id.ts";
import { toOutcome } from "../proposal/present-proposal.ts";
import { type BoundedMap, buildBoundedMap } from "../snapshot/bounded-map.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { World } from "../world/world.ts";
import { readMemories } from "./read-memories.ts";

export interface BodyQuery {
  /** The tree that the client holds. */
  readonly since?: string;
  readonly proposals: readonly string[];
}

export interface MemoriesAnswer {
  readonly body: MemoriesResponse;
  readonly etag: string;
  readonly outcomes: Record<string, ProposalOutcome>;
}

export interface MemoriesAnswers {
  answer(project: ProjectName, query: BodyQuery): Promise<MemoriesAnswer>;
  /** The same ETag, without a body. */
  etag(project: ProjectName, query: BodyQuery): Promise<string>;
  /** The same from memory alone; null: ask. */
  recallEtag(project: ProjectName, query: BodyQuery): string | null;
}

export function buildMemoriesAnswers(context: EngineContext): MemoriesAnswers {
  const bodies = buildBoundedMap<string, MemoriesResponse>({
    countMax: LIMITS.responsesInMemoryMax,
    weightMax: LIMITS.responsesInMemorySizeBytesMax,
    weigh: ({ upserts }) => upserts.reduce((sum, { text }) => sum + text.length + UPSERT_OVERHEAD_BYTES, 0),
  });
  const building = new Map<string, Promise<MemoriesResponse>>();
  const etagsOf = cacheByWorld();

  const bodyOf = async (snapshot: Snapshot, { since, revision }: BodyFacts): Promise<MemoriesResponse> => {
    const name = [snapshot.project, since, snapshot.tree, snapshot.quarantined.length].join(" ");
    const known = bodies.get(name);
    if (known !== undefined) return known;
    const started = building.get(name) ?? buildBody(context, snapshot, { since, revision });
    building.set(name, started);
    try {
      const body = await started;
      bodies.set(name, body);
      return body;
    } finally {
      building.delete(name);
    }
  };

  return {
    answer: async (project, { since, proposals }) => {
      const world = context.world();
      const snapshot = await currentSnapshot(context, project, world);
      const outcomes = findOutcomes(context, world, { project, proposals });
      const body = await bodyOf(snapshot, { since, revision: world.base });
      return { body, etag: toEtag(snapshot, outcomes), outcomes };
    },
    etag: async (project, { proposals }) => {
      const world = context.world();
      const etags = etagsOf(world);
      const name = nameEtag(project, proposals);
      const known = etags.get(name);
      if (known !== undefined) return known;
      const snapshot = await currentSnapshot(context, project, world);
      const etag = toEtag(snapshot, findOutcomes(context, world, { project, proposals }));
      etags.set(name, etag);
      return etag;
    },
    recallEtag: (project, { proposals }) => etagsOf(context.world()).get(nameEtag(project, proposals)) ?? null,
  };
}

function nameEtag(project: ProjectName, proposals: readonly string[]): string {
  return `${project} ${proposals.join()}`;
}

/** ETags hold as long as the world does; nearly every request is a poll that asks for nothing else. */
function cacheByWorld(): (world: World) => BoundedMap<string, string> {
  const known = new WeakMap<World, BoundedMap<string, string>>();
  return (world) => {
    const { pollsInMemoryMax } = LIMITS;
    const etags =
      known.get(world) ??
      buildBoundedMap<string, string>({ countMax: pollsInMemoryMax, weightMax: pollsInMemoryMax, weigh: () => 1 });
    known.set(world, etags);
    return etags;
  };
}

/** Key, ids, face and times of one upsert, roughly. */
const UPSERT_OVERHEAD_BYTES = 500;

interface BodyFacts {
  readonly since: string | undefined;
  /** A commit of the base that has this tree. */
  readonly revision: GitId;
}

async function buildBody(
  context: EngineContext,
  snapshot: Snapshot,
  { since, revision }: BodyFacts,
): Promise<MemoriesResponse> {
  const { project, tree, files, quarantined } = snapshot;
  const held = await findHeld(context, snapshot, since);
  const changed = [...files.values()].filter(({ key, blob }) => held?.files.get(key)?.blob !== blob);
  const removals = [...(held?.files.keys() ?? [])].filter((key) => !files.has(key));
  const upserts: Upsert[] = await readMemories(context, project, changed);
  return { project, tree, revision, full: held === null, upserts, removals, quarantined: quarantined.length };
}

/** What the client holds, if this project ever had it; null: it gets everything. */
async function findHeld(
  context: EngineContext,
  snapshot: Snapshot,
  since: string | undefined,
): Promise<Snapshot | null> {
  if (since === undefined) return null;
  return since === snapshot.tree ? snapshot : context.snapshots.asServed(snapshot.project, since);
}

interface NamedProposals {
  readonly project: ProjectName;
  readonly proposals: readonly string[];
}

/** Of this project only: an id of another one says nothing here. */
function findOutcomes(
  context: EngineContext,
  { open, outcomes }: World,
  { project, proposals }: NamedProposals,
): Record<string, ProposalOutcome> {
  const presentation = toPresentation(context);
  const found = proposals.slice(0, LIMITS.proposalIdsPerPullMax).flatMap((id) => {
    const proposal = open.get(id) ?? findFinished({ ...presentation, outcomes }, id);
    if (proposal?.project !== project) return [];
    return [[id, toOutcome(presentation, proposal, outcomes.get(id) ?? null)] as const];
  });
  return Object.fromEntries(found);
}

/** Opaque. The revision is no part of it: a commit elsewhere changes nothing for this project. */
function toEtag({ project, tree, quarantined }: Snapshot, outcomes: Record<string, ProposalOutcome>): string {
  const told = Object.entries(outcomes).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify([project, tree, quarantined.length, told]);
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 32)}"`;
}
