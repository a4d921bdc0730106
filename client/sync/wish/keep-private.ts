import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toDiskError } from "../../../shared/path/disk-error.ts";
import { linkIn } from "../../../shared/path/link-in.ts";
import { newOwnName } from "../../../shared/path/own-name.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { readSmallFileBytes } from "../../memory/read-small-file.ts";
import { toShellWord } from "../../shell-word.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { readUnblocked } from "../folder/blocked-key.ts";
import { syncFolder, writeNew } from "../state/durable-file.ts";
import { findSentText } from "../state/outbox.ts";
import { readPristine } from "../state/pristine.ts";
import { readState } from "../state/state.ts";
import { removeKey, restoreKey } from "./edit-key.ts";

export interface KeptPrivate {
  /** Of the private memory. */
  readonly path: string;
  /** Reviewers see it until the next push takes it back. */
  readonly isProposed: boolean;
}

/**
 * Moves a text that the team does not have out of team/ to the private memories, where no sync looks: first it stands
 * there, then it leaves here, as `rm` or `restore` would have it. Nothing there is ever overwritten; the private index is
 * left to its owner. Called by who holds the lock; after a kill in the middle it is simply run again.
 *
 * @throws TeamMemoryError `not_here`; `usage` where the team has the very text; `conflict` where one waits to be decided;
 *   `key_collision` where the private memories have another file of that name; `busy`, `disk`, `disk_full`
 */
export async function keepPrivate(context: SyncContext, key: MemoryKey): Promise<KeptPrivate> {
  const { stateFolder, teamDir } = context;
  const { head, marks, outbox } = readState(stateFolder, toWhere(context));
  const local = readUnblocked(teamDir, key);
  if (local.kind !== "file") throw new TeamMemoryError("not_here", `No memory of this name is here: ${key}`);
  if (marks.get(key)?.conflict !== undefined)
    throw refuse("conflict", "Nothing was moved, for it waits as a conflict", key);
  const reviewed = readPristine(stateFolder, head.packs)?.get(key);
  if (reviewed?.canonicalBlob === local.blob) throw refuse("usage", "It is the team's, and was not moved", key);
  const path = join(dirname(teamDir), toPrivateName(key));
  if (!writePrivate(path, local.bytes))
    throw refuse("key_collision", `Nothing was moved, for another file lies there already, ${path}`, key);
  await (reviewed === undefined ? removeKey(context, key) : restoreKey(context, key));
  return { path, isProposed: findSentText(outbox, key) !== null };
}

/** One level, so that no folder of the host's is met, nor an index below one. */
function toPrivateName(key: MemoryKey): string {
  return key.replaceAll("/", "_");
}

/** False where something else lies there. */
function writePrivate(path: string, bytes: Uint8Array): boolean {
  const temp = join(dirname(path), newOwnName("tmp"));
  try {
    writeNew(temp, bytes, true);
    if (!linkIn(temp, path)) return readSmallFileBytes(path, LIMITS.localFileSizeBytesMax)?.equals(bytes) === true;
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw toDiskError(error, "write", path);
  } finally {
    rmSync(temp, { force: true });
  }
}

/** What helps with each, about the key as one word of a command line. */
const HELP = {
  conflict: (word: string) => `Decide first: team-memory conflicts show ${word}`,
  usage: (word: string) => `To remove it for all: team-memory rm ${word}`,
  key_collision: () => "Move or rename that one, then run it again",
} as const;

function refuse(code: keyof typeof HELP, message: string, key: string): TeamMemoryError {
  const details = { key, usage: HELP[code](toShellWord(key)) };
  return new TeamMemoryError(code, `${message}: ${key}`, { details });
}
