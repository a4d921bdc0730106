import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { toDiskError } from "../../shared/path/disk-error.ts";
import type { ClientEnvironment } from "../config.ts";
import { userSettingsPath } from "../memory/claude-settings.ts";
import { isMissing } from "../memory/read-small-file.ts";
import type { HookEntries } from "./hook-entries.ts";
import { decodeSettings, inSettings, SETTINGS_OPTIONS, sha256 } from "./host-settings.ts";
import { findHookRecord, writeHookRecord } from "./install-record.ts";
import { planHooks } from "./plan-hooks.ts";
import { rehearseUpdate, type Update, updateFile } from "./update-file.ts";

export interface HooksInstalled {
  readonly settingsFile: string;
  /** False where our entries were there already. */
  readonly isChanged: boolean;
  readonly backup: string | null;
}

/**
 * Throws what installHooks would throw, before anything has been changed anywhere: every file of it is written, up to the
 * last step.
 *
 * @throws TeamMemoryError `settings_invalid`, `disk`, `disk_full`, `busy`
 */
export async function assertHooksInstallable(env: ClientEnvironment, entries: HookEntries): Promise<void> {
  await putHooks(env, entries, rehearseUpdate);
}

/**
 * Puts the entries into the user's settings of the host, once, whatever was there of ours before. A copy of the file as it
 * is without them, and a record of what was made, are on disk before the file changes.
 *
 * @throws TeamMemoryError `settings_invalid` (nothing is changed), `disk`, `disk_full`, `busy`
 */
export function installHooks(env: ClientEnvironment, entries: HookEntries): Promise<HooksInstalled> {
  return putHooks(env, entries, updateFile);
}

async function putHooks(env: ClientEnvironment, entries: HookEntries, update: Update): Promise<HooksInstalled> {
  const settingsFile = userSettingsPath(env);
  const known = findHookRecord(env, settingsFile);
  const folder = known?.made.folder ?? !(await exists(dirname(settingsFile)));
  let backup = known?.backup ?? null;
  const isChanged = await update(settingsFile, SETTINGS_OPTIONS, async (bytes) => {
    const text = decodeSettings(bytes, settingsFile);
    const plan = inSettings(settingsFile, () => planHooks(text, entries, known?.made));
    if (plan.text === text) return text;
    backup = plan.clean === null ? null : await writeBackup(settingsFile, plan.clean, update);
    const made = { ...plan.made, folder };
    await writeHookRecord(env, { settingsFile, made, writtenSha256: sha256(plan.text), backup }, update);
    return plan.text;
  });
  return { settingsFile, isChanged, backup };
}

/** One, beside the file and with its mode. */
async function writeBackup(settingsFile: string, clean: string, update: Update): Promise<string> {
  const backup = `${settingsFile}.team-memory-backup`;
  const { mode } = await stat(settingsFile);
  await update(backup, { ...SETTINGS_OPTIONS, keepMode: false, mode: mode & 0o777 }, () => clean);
  return backup;
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
