/** What one project's readers ask besides the pull. */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type {
  HeadResponse,
  HistoryResponse,
  MemoryResponse,
  QuarantineResponse,
} from "../../../shared/protocol/schemas.ts";
import { currentSnapshot, type EngineContext, notFound } from "../engine-context.ts";
import { findHold } from "../world/held-world.ts";
import { listQuarantined } from "./list-quarantined.ts";
import { readMemories, toIsoDate } from "./read-memories.ts";

export interface ListedProject {
  readonly project: ProjectName;
  readonly memories: number;
  readonly openProposals: number;
}

/** Those on the base, and those that are only proposed so far. One that cannot be read is left out, and logged. */
export async function listProjects(context: EngineContext): Promise<readonly ListedProject[]> {
  const { projects, openByProject } = context.world();
  const listed: ListedProject[] = [];
  for (const project of [...new Set([...projects.keys(), ...openByProject.keys()])].sort()) {
    try {
      const { files } = await currentSnapshot(context, project);
      listed.push({ project, memories: files.size, openProposals: openByProject.get(project)?.length ?? 0 });
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      context.log.error({ err: error, project }, "A project could not be read");
    }
  }
  return listed;
}

export async function readHead(context: EngineContext, project: ProjectName): Promise<HeadResponse> {
  const world = context.world();
  const { tree, files, quarantined } = await currentSnapshot(context, project, world);
  const openProposals = world.openByProject.get(project)?.length ?? 0;
  const counts = { memories: files.size, quarantined: quarantined.length, openProposals };
  return { project, tree, revision: world.base, ...counts, ...(findHold(world, project) !== null && { held: true }) };
}

/** @throws TeamMemoryError not_found, also for a file in quarantine */
export async function readMemory(
  context: EngineContext,
  project: ProjectName,
  key: MemoryKey,
): Promise<MemoryResponse> {
  const world = context.world();
  const file = (await currentSnapshot(context, project, world)).files.get(key);
  const [memory] = file === undefined ? [] : await readMemories(context, project, [file]);
  if (memory === undefined) throw notFound(`memory ${escapeForDisplay(key)} of ${project}`);
  return { ...memory, revision: world.base };
}

/** Newest first, bounded. @throws TeamMemoryError not_found for a key that the project never had */
export function readHistory(context: EngineContext, project: ProjectName, key: MemoryKey): HistoryResponse {
  const entries = context.history.index().entries(project, key);
  if (entries.length === 0) throw notFound(`history of ${escapeForDisplay(key)} in ${project}`);
  const changes = entries.slice(-LIMITS.historyChangesListedMax).toReversed();
  return {
    key,
    changes: changes.map(({ revision, blob, at, by, proposal }) => ({
      revision,
      blob,
      changedAt: toIsoDate(at),
      changedBy: by,
      proposal,
    })),
  };
}

export async function readQuarantine(context: EngineContext, project: ProjectName): Promise<QuarantineResponse> {
  const { quarantined, files } = await currentSnapshot(context, project);
  const warnings = [...files.values()].flatMap(({ key, warnings: ofFile }) => ofFile.map((one) => ({ key, ...one })));
  return {
    files: [...listQuarantined(quarantined, LIMITS.quarantinedListedMax)],
    warnings: warnings.slice(0, LIMITS.quarantinedListedMax),
  };
}
