import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { diffProjects } from "../snapshot/diff-projects.ts";
import type { Bases, Hold } from "./hold.ts";
import { judgeRemovals } from "./judge-removals.ts";
import type { HeldProject, World } from "./world.ts";

type Projects = Pick<World, "baseTree" | "projects" | "held">;

interface Look {
  readonly base: GitId;
  readonly bases: Bases;
  /** Where this very base is what the service made or a reviewer accepted: removals are wanted there. */
  readonly reviewed: ReadonlySet<ProjectName> | "all";
}

/** Loaded projects are read before anyone sees the new base; one that is held or cannot be read stays at its last good tree. */
export async function readProjects(context: EngineContext, before: World, look: Look): Promise<Projects> {
  const { tree: baseTree } = await context.git.readCommit(look.base);
  const changed = new Map<ProjectName, GitId | null>([...before.held].map(([project, { tree }]) => [project, tree]));
  for (const { project, after } of await diffProjects(context.readFolder, before.baseTree, baseTree)) {
    changed.set(project, after);
  }
  const projects = new Map(before.projects);
  const held = new Map<ProjectName, HeldProject>();
  for (const [project, tree] of changed) {
    const verdict = await tryTake(context, before, look, { project, tree });
    if (verdict !== "taken") held.set(project, { tree, hold: verdict });
    else if (tree === null) projects.delete(project);
    else projects.set(project, tree);
  }
  return { baseTree, projects, held };
}

interface Taken {
  readonly project: ProjectName;
  readonly tree: GitId | null;
}

/** Null: it cannot be read. */
async function tryTake(
  context: EngineContext,
  before: World,
  { base, bases, reviewed }: Look,
  { project, tree }: Taken,
): Promise<Hold | null | "taken"> {
  const known = before.held.get(project)?.hold ?? null;
  try {
    if (reviewed !== "all" && !reviewed.has(project)) {
      const from = before.projects.get(project);
      const hold = await judgeRemovals(context, { project, from, to: tree, revision: base, known, bases });
      if (hold !== null) return hold;
    }
    if (context.snapshots.isLoaded(project)) await context.snapshots.newest(project, tree);
    return "taken";
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    context.log.error({ err: error, project }, "A project could not be read; it stays at its last good tree");
    return null;
  }
}
