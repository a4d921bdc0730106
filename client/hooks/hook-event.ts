import type { CommandOptions } from "../command.ts";
import { locate } from "../memory/locate.ts";
import { type SyncContext, toSyncContext } from "../sync/context.ts";
import type { JsonObject } from "../sync/json-shape.ts";

/**
 * Where the session is: the folder that it was started in, whose memory directory the host uses from beginning to end;
 * `cwd` follows the agent around.
 */
export function sessionFolder({ env, cwd }: CommandOptions, event: JsonObject): string {
  return env.claude.projectDir ?? eventFolder(event) ?? cwd;
}

export function eventFolder({ cwd }: JsonObject): string | null {
  return typeof cwd === "string" && cwd !== "" ? cwd : null;
}

/** Null where team memory is not for this session, or refuses to run in it: its start has said so. */
export function openSession(options: CommandOptions, event: JsonObject): SyncContext | null {
  try {
    return toSyncContext(
      locate({ cwd: sessionFolder(options, event), env: options.env, hostCwd: eventFolder(event) ?? options.cwd }),
    );
  } catch {
    return null;
  }
}
