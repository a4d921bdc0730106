import type { PublishOutcome } from "../../git/port.ts";
import type { Attempt } from "../../state/retry-lost-race.ts";
import type { EngineContext } from "../engine-context.ts";
import type { Landing } from "./landing.ts";

/** What one write has that shares its turn with others. */
export interface TurnContext extends EngineContext {
  /** Runs the attempt when its turn has come, side by side with others, and again while it is lost. */
  together<R>(what: string, attempt: () => Promise<Attempt<R>>): Promise<R>;
  /** Puts changes on the base, in one series with those of the others; the world has them then. @throws TeamMemoryError base_held */
  land(landing: Landing): Promise<PublishOutcome>;
  /** How many writes of this round have claimed the same before this one does. */
  claim(what: string): number;
}
