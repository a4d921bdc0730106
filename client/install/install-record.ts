import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";
import { readSmallFile } from "../memory/read-small-file.ts";
import { asArray, asBoolean, asObject, asText, type JsonObject, orNull } from "../sync/json-shape.ts";
import { HOOK_EVENTS, type HookEvent } from "./hook-entries.ts";
import type { MadeContainers } from "./plan-hooks.ts";
import { type Update, updateFile } from "./update-file.ts";

/** What join did to one settings file of a host, so that leave can undo exactly that. */
export interface HookRecord {
  readonly settingsFile: string;
  readonly made: MadeContainers & { readonly folder: boolean };
  /** Of the file with our entries: while it is this, the copy below can be put back as it is. */
  readonly writtenSha256: string;
  /** The copy of the file without our entries; null where there was none. */
  readonly backup: string | null;
}

export function installRecordPath(env: ClientEnvironment): string {
  return join(env.dataDir, "install.json");
}

/**
 * A damaged record counts as none: leave then removes our entries by their marker alone.
 *
 * @throws TeamMemoryError `disk` where it cannot be read
 */
export function readHookRecords(env: ClientEnvironment): readonly HookRecord[] {
  const text = readSmallFile(installRecordPath(env), LIMITS.settingsFileSizeBytesMax);
  return text === null ? [] : parseRecords(text);
}

export function findHookRecord(env: ClientEnvironment, settingsFile: string): HookRecord | null {
  return readHookRecords(env).find((record) => record.settingsFile === settingsFile) ?? null;
}

export async function writeHookRecord(env: ClientEnvironment, record: HookRecord, update: Update): Promise<void> {
  await changeRecords(env, update, (records) => [...without(records, record.settingsFile), record]);
}

export async function forgetHookRecord(env: ClientEnvironment, settingsFile: string): Promise<void> {
  await changeRecords(env, updateFile, (records) => without(records, settingsFile));
}

async function changeRecords(
  env: ClientEnvironment,
  update: Update,
  change: (records: readonly HookRecord[]) => readonly HookRecord[],
): Promise<void> {
  await update(installRecordPath(env), { mode: 0o600, folderMode: 0o700 }, (bytes) => {
    const hooks = change(bytes === null ? [] : parseRecords(bytes.toString("utf8")));
    return hooks.length === 0 ? null : `${JSON.stringify({ format: 1, hooks }, null, 2)}\n`;
  });
}

function without(records: readonly HookRecord[], settingsFile: string): readonly HookRecord[] {
  return records.filter((record) => record.settingsFile !== settingsFile);
}

function parseRecords(text: string): readonly HookRecord[] {
  try {
    return asArray(asObject(JSON.parse(text))["hooks"], LIMITS.joinedMax).map(toRecord);
  } catch {
    return [];
  }
}

function toRecord(value: unknown): HookRecord {
  const { settingsFile, made, writtenSha256, backup } = asObject(value);
  const { file, hooks, folder, ...lists } = asObject(made);
  const text = (part: unknown) => asText(part, LIMITS.joinedTextLengthMax);
  return {
    settingsFile: text(settingsFile),
    made: { file: asBoolean(file), hooks: asBoolean(hooks), lists: toLists(lists), folder: asBoolean(folder) },
    writtenSha256: text(writtenSha256),
    backup: orNull(backup, text),
  };
}

/** Clients that knew one event wrote `list`, a yes or no about that one. */
function toLists({ list, lists }: JsonObject): readonly HookEvent[] {
  if (list !== undefined) return asBoolean(list) ? ["SessionStart"] : [];
  const named = asArray(lists, HOOK_EVENTS.length);
  return HOOK_EVENTS.filter((event) => named.includes(event));
}
