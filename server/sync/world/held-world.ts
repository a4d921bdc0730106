/** Holds in the world: what is new of them is logged and recorded, what is accepted is let go. */
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { diffProjects } from "../snapshot/diff-projects.ts";
import { BASES_FILE } from "./bases-file.ts";
import { type Bases, type Hold, isAccepted, planHeld, toHoldWords } from "./hold.ts";
import { type HeldProject, UNSEEN, type World } from "./world.ts";

/** A rewritten base goes on once it is accepted; else what is held. */
export async function judgeHeldBase({ git, log }: EngineContext, bases: Bases): Promise<Hold | "accepted" | null> {
  const held = git.heldBase?.() ?? null;
  if (held === null) return null;
  const hold: Hold = { ...held, project: null, revision: held.to, lost: 0, of: 0 };
  if (held.to === null || !isAccepted(bases, hold)) return hold;
  await git.acceptBase?.(held.to);
  log.warn(held, "Goes on from a rewritten base that was accepted");
  return "accepted";
}

export function holdsOf({ baseHold, held }: Pick<World, "baseHold" | "held">): readonly Hold[] {
  const all = [baseHold, ...[...held.values()].map(({ hold }) => hold)];
  return all.filter((hold) => hold !== null);
}

/** Where the record cannot be written, the next look finds it missing and tries again. */
export async function recordHolds({ state, log, world }: EngineContext, before: World, bases: Bases): Promise<void> {
  const holds = holdsOf(world());
  const known = new Set(holdsOf(before).map(toHoldWords));
  for (const hold of holds) {
    if (known.has(toHoldWords(hold))) continue;
    log.warn(hold, `Held until a reviewer accepts it, the last good memories stay served: ${toHoldWords(hold)}`);
  }
  if (planHeld(bases, holds) === bases) return;
  try {
    await state.update(BASES_FILE, (newest) => ({ value: planHeld(newest, holds), result: undefined }));
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    log.error({ err: error }, "What is held could not be recorded");
  }
}

/** The world of the last run, as far as it decides what is lost: the base it saw last, and what it held. */
export async function readLastWorld(context: EngineContext, seen: GitId | null): Promise<World> {
  const baseTree = seen === null ? null : await readTreeOf(context, seen);
  const projects = new Map<ProjectName, GitId>();
  for (const { project, after } of await diffProjects(context.readFolder, null, baseTree)) {
    if (after !== null) projects.set(project, after);
  }
  const held = new Map<ProjectName, HeldProject>();
  for (const hold of (await context.state.read(BASES_FILE)).held) {
    if (hold.project === null) continue;
    projects.set(hold.project, hold.from);
    held.set(hold.project, { tree: hold.to, hold });
  }
  return { ...UNSEEN, base: baseTree === null ? UNSEEN.base : (seen ?? UNSEEN.base), baseTree, projects, held };
}

/** Null: the base was rewritten meanwhile, and what it had been is gone. */
async function readTreeOf({ git }: EngineContext, commit: GitId): Promise<GitId | null> {
  try {
    return (await git.readCommit(commit)).tree;
  } catch (error) {
    if (isTeamMemoryError(error) && error.code === "not_found") return null;
    throw error;
  }
}

/** What keeps a project at its last good tree; null: nothing. */
export function findHold({ baseHold, held }: Pick<World, "baseHold" | "held">, project: ProjectName): Hold | null {
  return baseHold ?? held.get(project)?.hold ?? null;
}

/** @throws TeamMemoryError base_held */
export function assertNotHeld({ world }: EngineContext, project: ProjectName): void {
  const hold = findHold(world(), project);
  if (hold === null) return;
  throw new TeamMemoryError("base_held", `Could not write to ${project}: ${toHoldWords(hold)}`, {
    details: { project: hold.project, revision: hold.revision },
  });
}
