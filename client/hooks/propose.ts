import { LIMITS } from "../../shared/limits.ts";
import type { CommandOptions } from "../command.ts";
import { processStartedAtMs } from "../process-clock.ts";
import type { SyncContext } from "../sync/context.ts";
import { push } from "../sync/push/push.ts";
import { openSession } from "./hook-event.ts";
import { takeSight } from "./team-sight.ts";
import { toFailure } from "./to-failure.ts";
import { readTurnNote, toNextNote, writeTurnNote } from "./turn-note.ts";
import { toFailedLine, toProposedLine } from "./turn-text.ts";

/**
 * What a turn's or a session's end runs in a process of its own: the same push as the command's. What came of it is left
 * for the next that speaks to the user. Killed at any moment, it leaves the old note, and the next turn proposes again.
 *
 * @returns null: nobody listens
 */
export async function propose(options: CommandOptions): Promise<null> {
  const context = openSession(options, {});
  if (context === null) return null;
  // Before anything is read: what is written meanwhile is looked at the next time.
  const sight = takeSight(context.teamDir, Date.now());
  const { line, isSeenTo } = await attempt(context);
  writeTurnNote(context.stateFolder, toNextNote(readTurnNote(context.stateFolder), isSeenTo ? sight : null, line));
  return null;
}

async function attempt(context: SyncContext): Promise<{ line: string | null; isSeenTo: boolean }> {
  try {
    const options = { askedAtMs: processStartedAtMs(), lockWaitMs: LIMITS.lockWaitMs, named: new Set<never>() };
    return { line: toProposedLine(await push(context, options)), isSeenTo: true };
  } catch (error) {
    const failure = toFailure(error);
    // Another run holds the lock: it has, or the next turn will.
    return { line: failure.code === "busy" ? null : toFailedLine(failure), isSeenTo: false };
  }
}
