import { createHash } from "node:crypto";
import { lstat, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import type { ClientEnvironment } from "../config.ts";
import { userSettingsPath } from "../memory/claude-settings.ts";
import { isMissing, readSmallFileBytes } from "../memory/read-small-file.ts";
import { CLIENT_FILE, type HookEntries } from "./hook-entries.ts";
import { forgetHookRecord, type HookRecord, readHookRecords, writeHookRecord } from "./install-record.ts";
import { MADE_UNKNOWN, planHooks, planNoHooks } from "./plan-hooks.ts";
import { updateFile } from "./update-file.ts";

export interface HooksInstalled {
  readonly settingsFile: string;
  /** False where our entries were there already. */
  readonly isChanged: boolean;
  readonly backup: string | null;
}

/**
 * Throws what installHooks would throw, before anything has been changed anywhere.
 *
 * @throws TeamMemoryError `settings_invalid`, `disk`
 */
export function assertHooksInstallable(env: ClientEnvironment, entries: HookEntries): void {
  const settingsFile = userSettingsPath(env);
  const bytes = readSmallFileBytes(settingsFile, LIMITS.settingsFileSizeBytesMax);
  inFile(settingsFile, () => planHooks(decode(bytes, settingsFile), entries));
}

/**
 * Puts the entries into the user's settings of the host, once, whatever was there of ours before. A copy of the file as it
 * is without them, and a record of what was made, are on disk before the file changes.
 *
 * @throws TeamMemoryError `settings_invalid` (nothing is changed), `disk`, `disk_full`, `busy`
 */
export async function installHooks(env: ClientEnvironment, entries: HookEntries): Promise<HooksInstalled> {
  const settingsFile = userSettingsPath(env);
  const known = readHookRecords(env).find((record) => record.settingsFile === settingsFile);
  const folder = known?.made.folder ?? !(await exists(dirname(settingsFile)));
  let backup = known?.backup ?? null;
  const isChanged = await updateFile(settingsFile, { ...MODES, keepMode: true }, async (bytes) => {
    const text = decode(bytes, settingsFile);
    const plan = inFile(settingsFile, () => planHooks(text, entries, known?.made));
    if (plan.text === text) return text;
    backup = plan.clean === null ? null : await writeBackup(settingsFile, plan.clean);
    const made = { ...plan.made, folder };
    await writeHookRecord(env, { settingsFile, made, writtenSha256: sha256(plan.text), backup });
    return plan.text;
  });
  return { settingsFile, isChanged, backup };
}

/**
 * Takes our entries out of every settings file that we put them into, and of the user's present one. A file that nobody
 * changed since is as it was before, byte for byte; one that we made is gone.
 *
 * @returns the files that were changed
 * @throws TeamMemoryError `settings_invalid` where one with our entries is not JSON any more; `disk`, `disk_full`, `busy`
 */
export async function removeHooks(env: ClientEnvironment): Promise<readonly string[]> {
  const records = readHookRecords(env);
  const present = userSettingsPath(env);
  const changed: string[] = [];
  for (const record of records) if (await removeFrom(record)) changed.push(record.settingsFile);
  if (!records.some(({ settingsFile }) => settingsFile === present) && (await removeFrom(toUnrecorded(present)))) {
    changed.push(present);
  }
  for (const { settingsFile } of records) await forgetHookRecord(env, settingsFile);
  return changed;
}

const MODES = { mode: 0o600, folderMode: 0o700 } as const;

async function removeFrom(record: HookRecord): Promise<boolean> {
  const { settingsFile, made, backup } = record;
  const isThere = await exists(settingsFile);
  const isChanged =
    isThere && (await updateFile(settingsFile, { ...MODES, keepMode: true }, (bytes) => withoutHooks(bytes, record)));
  if (backup !== null) await rm(backup, { force: true });
  if (made.folder && isChanged) await rmdir(dirname(settingsFile)).catch(() => undefined);
  return isChanged;
}

function withoutHooks(bytes: Buffer | null, { settingsFile, made, writtenSha256, backup }: HookRecord): string | null {
  const text = decode(bytes, settingsFile);
  if (text === null) return null;
  if (sha256(text) === writtenSha256) {
    const before = backup === null ? null : readSmallFileBytes(backup, LIMITS.settingsFileSizeBytesMax);
    if (before !== null || made.file) return decode(before, settingsFile);
  }
  // Without a trace of ours in it, whether it is JSON is not ours to complain about.
  if (!text.includes(CLIENT_FILE)) return text;
  return inFile(settingsFile, () => planNoHooks(text, made));
}

function toUnrecorded(settingsFile: string): HookRecord {
  return { settingsFile, made: { ...MADE_UNKNOWN, folder: false }, writtenSha256: "", backup: null };
}

/** One, beside the file and with its mode. */
async function writeBackup(settingsFile: string, clean: string): Promise<string> {
  const backup = `${settingsFile}.team-memory-backup`;
  const { mode } = await stat(settingsFile);
  await updateFile(backup, { ...MODES, mode: mode & 0o777 }, () => clean);
  return backup;
}

/** A BOM stays, as the first character: every byte must come back. */
function decode(bytes: Buffer | null, settingsFile: string): string | null {
  try {
    return bytes === null ? null : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw toInvalid("Could not change the host's settings: they are not UTF-8", settingsFile, cause);
  }
}

function inFile<T>(settingsFile: string, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    throw toInvalid(error.message, settingsFile, error.cause);
  }
}

function toInvalid(message: string, file: string, cause: unknown): TeamMemoryError {
  return new TeamMemoryError("settings_invalid", `${message}: ${file}`, { details: { file }, cause });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw toDiskError(error, "look at", path);
  }
}
