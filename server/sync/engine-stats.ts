import { currentSnapshot, type EngineContext } from "./engine-context.ts";
import { holdsOf } from "./world/held-world.ts";

export interface EngineStats {
  readonly snapshotAgeSeconds: number;
  /** Of the projects that are in memory. */
  readonly quarantined: number;
  readonly writesWaiting: number;
  readonly openProposals: number;
  readonly projects: number;
  readonly held: number;
  /** Remotes that could not be opened since the start. */
  readonly remotesNotOpen: number;
}

/** Numbers alone; reads nothing that is not in memory. */
export async function readStats(context: EngineContext): Promise<EngineStats> {
  const world = context.world();
  let quarantined = 0;
  for (const project of world.projects.keys()) {
    if (context.snapshots.isLoaded(project))
      quarantined += (await currentSnapshot(context, project)).quarantined.length;
  }
  return {
    snapshotAgeSeconds: Math.max(0, (context.clock().getTime() - world.lookedAt.getTime()) / 1_000),
    quarantined,
    writesWaiting: context.inTurn.waiting(),
    openProposals: world.open.size,
    projects: world.projects.size,
    held: holdsOf(world).length,
    remotesNotOpen: 0,
  };
}
