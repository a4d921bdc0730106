import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";

/** Loads one project after the other, so that after a start the first pull of each finds it in memory. */
export async function warmProjects(context: EngineContext, stop: AbortSignal): Promise<void> {
  for (const project of context.world().projects.keys()) {
    if (stop.aborted) return;
    try {
      await currentSnapshot(context, project);
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      context.log.error({ err: error, project }, "A project could not be read");
    }
  }
}
