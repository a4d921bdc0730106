import type { EngineContext } from "../engine-context.ts";
import { type World, withOpen } from "./world.ts";

/** Takes what was recorded into the world, and what is open by then. The world is read last: others of the same turn install theirs. */
export async function takeOutcomes(
  context: EngineContext,
  toOpen: (open: World["open"]) => World["open"] = (open) => open,
): Promise<void> {
  const outcomes = await context.outcomes.read();
  const world = context.world();
  context.install(withOpen({ ...world, outcomes }, toOpen(world.open)));
}
