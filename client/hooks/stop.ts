import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../../shared/limits.ts";
import type { CommandOptions } from "../command.ts";
import type { SyncContext } from "../sync/context.ts";
import { readUserConfig } from "../user-config.ts";
import { openSession, sessionFolder } from "./hook-event.ts";
import { readHookEvent } from "./read-hook-event.ts";
import { runDetached } from "./run-detached.ts";
import { takeSight } from "./team-sight.ts";
import { hasChanged, readTurnNote, toNextNote, writeTurnNote } from "./turn-note.ts";
import { toWaitingLine } from "./turn-text.ts";

/**
 * When a turn has ended: what it changed in `team/` is proposed, and the user is told so in one line, in this turn where
 * the answer comes at once, else in the next. Where the user wants to be asked, the line says what waits and how to send
 * it. It has no say in whether the turn goes on; in one that another hook has continued it does not speak at all, so that
 * nothing we print can be a reason to continue it once more.
 *
 * @returns null: nothing to say
 */
export async function stop(options: CommandOptions, input: NodeJS.ReadStream): Promise<string | null> {
  const event = await readHookEvent(input, LIMITS.hookInputTimeoutMs);
  const context = openSession(options, event);
  if (context === null) return null;
  const isContinued = event["stop_hook_active"] === true;
  if (hasChanged(context)) {
    const { propose } = readUserConfig(options.env);
    if (propose === "ask") await noteWaiting(context);
    else await proposeInTime(sessionFolder(options, event), isContinued || isRetry(context) ? 0 : LIMITS.turnEndWaitMs);
  }
  return isContinued ? null : say(context);
}

/** The user knows of the failure: no turn's end waits for a service that is down, however long it is. */
function isRetry({ stateFolder }: SyncContext): boolean {
  const { sight, said } = readTurnNote(stateFolder);
  return sight === null && said !== null;
}

async function proposeInTime(folder: string, waitMs: number): Promise<void> {
  const proposing = runDetached(folder, ["hook", "propose"]);
  await Promise.race([proposing, sleep(waitMs)]);
}

async function noteWaiting(context: SyncContext): Promise<void> {
  const { stateFolder, teamDir } = context;
  const sight = takeSight(teamDir, Date.now());
  const { listWaiting } = await import("./waiting-changes.ts");
  const line = toWaitingLine(await listWaiting(context));
  writeTurnNote(stateFolder, toNextNote(readTurnNote(stateFolder), sight, line));
}

/** To the user: what an agent reads at the end of its turn would make it go on. */
function say({ stateFolder }: SyncContext): string | null {
  const note = readTurnNote(stateFolder);
  if (note.unsaid === null) return null;
  writeTurnNote(stateFolder, { ...note, said: note.unsaid, unsaid: null });
  return JSON.stringify({ systemMessage: note.unsaid });
}
