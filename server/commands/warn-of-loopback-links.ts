import type { Config } from "../config.ts";
import type { ServerIo } from "../io.ts";
import { namesLoopbackToOthers } from "../public-url.ts";

/** On standard error: the links that follow lead every other machine to itself. */
export function warnOfLoopbackLinks(config: Config, io: ServerIo): void {
  if (!namesLoopbackToOthers(config)) return;
  io.err("team-memory-server: The links name this machine's loopback, which no other machine can open");
  io.err("Say what address the team uses with --public-url (TEAM_MEMORY_PUBLIC_URL)");
}
