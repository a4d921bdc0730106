import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { CommandOptions } from "../command.ts";
import { toShellWord } from "../shell-word.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { readUnblocked } from "../sync/folder/blocked-key.ts";
import { isForbidden } from "../sync/push/outbox-steps.ts";
import { readState } from "../sync/state/state.ts";
import { readUserConfig } from "../user-config.ts";

/** What commands say of what comes next, in the same words. */

/** The command that lists what is kept of a key's replaced texts. */
export function toCopiesCommand(key: string): string {
  return `team-memory attic list ${toShellWord(key)}`;
}

/** Where something else that was asked for has decided a conflict, too. */
export function toDecidedLines(isDecided: boolean, key: string): string[] {
  if (!isDecided) return [];
  const restore = `team-memory attic restore ${toShellWord(key)} --at NUMBER`;
  return [
    `That decides the conflict about ${key}. Your text that waited is kept: ${toCopiesCommand(key)}; to have it back: ${restore}`,
  ];
}

/** Where reviewers still look at another change of the key than the one that lies here by now. */
export function toUnderReviewLines(context: SyncContext, key: MemoryKey): string[] {
  const { open } = readState(context.stateFolder, toWhere(context)).outbox;
  const sent = open?.changes.find((change) => change.key === key);
  const local = readUnblocked(context.teamDir, key);
  if (sent === undefined || sent.blob === (local.kind === "file" ? local.blob : null)) return [];
  return ["What was sent of it before is still under review until the next sync takes it back: team-memory sync"];
}

/** How a change of a key gets to the team, or why it does not. */
export function toProposeLine({ env }: Pick<CommandOptions, "env">, context: SyncContext, key: string): string {
  if (!mayPropose(env, context))
    return "Only here, for your role does not let you propose it to the team: ask an admin";
  return `The next sync proposes that to the team; at once: team-memory push ${toShellWord(key)}`;
}

/** As far as is known here: the role at joining, and what the service has said since. */
function mayPropose(env: CommandOptions["env"], context: SyncContext): boolean {
  const role = readUserConfig(env).services.find(({ url }) => url === context.service.url)?.role;
  const { outbox } = readState(context.stateFolder, toWhere(context));
  return role !== "reader" && !isForbidden(context, outbox, Date.now());
}
