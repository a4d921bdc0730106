import { rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { codeOf, toDiskError } from "../../shared/path/disk-error.ts";
import type { ClientEnvironment } from "../config.ts";
import { userSettingsPath } from "../memory/claude-settings.ts";
import { isMissing, readSmallFileBytes } from "../memory/read-small-file.ts";
import { CLIENT_FILE } from "./hook-entries.ts";
import { decodeSettings, inSettings, SETTINGS_OPTIONS, sha256 } from "./host-settings.ts";
import { forgetHookRecord, type HookRecord, installRecordPath, readHookRecords } from "./install-record.ts";
import { MADE_UNKNOWN, planNoHooks } from "./plan-hooks.ts";
import { updateFile } from "./update-file.ts";

export interface HooksRemoved {
  /** The files that were changed. */
  readonly settingsFiles: readonly string[];
  /** Files in which ours may still be; what is known of them stays on record, for the next try. */
  readonly failed: readonly FailedFile[];
}

export interface FailedFile {
  readonly file: string;
  readonly error: TeamMemoryError;
}

/**
 * Takes our entries out of every settings file that we put them into, and of the user's present one. A file that nobody
 * changed since is as it was before, byte for byte; one that we made is gone. One that cannot be changed keeps none of
 * the others from it.
 */
export async function removeHooks(env: ClientEnvironment): Promise<HooksRemoved> {
  const failed: FailedFile[] = [];
  const attempt = async <T>(file: string, work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      failed.push({ file, error: toDiskError(error, "undo what join did to", file) });
      return null;
    }
  };
  const records = (await attempt(installRecordPath(env), () => readHookRecords(env))) ?? [];
  const settingsFiles: string[] = [];
  for (const record of withPresent(records, userSettingsPath(env))) {
    const { settingsFile } = record;
    const isChanged = await attempt(settingsFile, () => removeFrom(record));
    if (isChanged === true) settingsFiles.push(settingsFile);
    if (isChanged !== null && records.includes(record))
      await attempt(installRecordPath(env), () => forgetHookRecord(env, settingsFile));
  }
  return { settingsFiles, failed };
}

/** The user's present file, too, where no record names it. */
function withPresent(records: readonly HookRecord[], present: string): readonly HookRecord[] {
  if (records.some(({ settingsFile }) => settingsFile === present)) return records;
  const made = { ...MADE_UNKNOWN, folder: false };
  return [...records, { settingsFile: present, made, writtenSha256: "", backup: null }];
}

async function removeFrom(record: HookRecord): Promise<boolean> {
  const { settingsFile, made, backup } = record;
  const isChanged = (await mayHoldOurs(settingsFile)) && (await takeOut(record));
  if (backup !== null) await rm(backup, { force: true });
  if (made.folder && isChanged) await rmdir(dirname(settingsFile)).catch(() => undefined);
  return isChanged;
}

/** What is no plain file, or a link that leads to none, is nothing that we have written. */
async function mayHoldOurs(settingsFile: string): Promise<boolean> {
  try {
    return (await stat(settingsFile)).isFile();
  } catch (error) {
    if (isMissing(error) || codeOf(error) === "ELOOP") return false;
    throw toDiskError(error, "look at", settingsFile);
  }
}

/** Looked at first: a file without ours is not to be changed, and need not be one that can be. */
async function takeOut(record: HookRecord): Promise<boolean> {
  const { settingsFile } = record;
  const bytes = readSmallFileBytes(settingsFile, LIMITS.settingsFileSizeBytesMax);
  if (bytes === null || !bytes.includes(CLIENT_FILE)) return false;
  return await updateFile(settingsFile, SETTINGS_OPTIONS, (present) => withoutHooks(present, record));
}

function withoutHooks(bytes: Buffer | null, { settingsFile, made, writtenSha256, backup }: HookRecord): string | null {
  const text = decodeSettings(bytes, settingsFile);
  if (text === null) return null;
  if (sha256(text) === writtenSha256) {
    const before = backup === null ? null : readSmallFileBytes(backup, LIMITS.settingsFileSizeBytesMax);
    if (before !== null || made.file) return decodeSettings(before, settingsFile);
  }
  return inSettings(settingsFile, () => planNoHooks(text, made));
}
