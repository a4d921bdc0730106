import { LIMITS } from "../../shared/limits.ts";
import type { CommandOptions } from "../command.ts";
import { readUserConfig } from "../user-config.ts";
import { openSession, sessionFolder } from "./hook-event.ts";
import { readHookEvent } from "./read-hook-event.ts";
import { runDetached } from "./run-detached.ts";
import { hasChanged } from "./turn-note.ts";

/**
 * When a session ends: the host waits a second and listens to nobody. What is not proposed yet is proposed by a process
 * that outlives it.
 *
 * @returns null: nobody listens
 */
export async function sessionEnd(options: CommandOptions, input: NodeJS.ReadStream): Promise<null> {
  const event = await readHookEvent(input, LIMITS.hookInputTimeoutMs);
  const context = openSession(options, event);
  if (context === null || !hasChanged(context)) return null;
  if (readUserConfig(options.env).propose !== "ask")
    void runDetached(sessionFolder(options, event), ["hook", "propose"]);
  return null;
}
