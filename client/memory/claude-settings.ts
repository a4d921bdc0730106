import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";
import { readSmallFile } from "./read-small-file.ts";

/**
 * Claude Code's settings files, as far as they say where memory is and whether it is on. Read as the host reads them: a
 * file that is not strict JSON, or cannot be read, is passed over. (Project files are judged before they get here: see
 * assert-not-steered.ts.)
 */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The settings on this machine that no project brought along. */
export interface MachineSettings {
  /** An administrator's files, strongest first: of the drop-ins the last by name, then the base. */
  readonly managed: readonly SettingsFile[];
  readonly user: SettingsFile | null;
}

export function readMachineSettings(env: ClientEnvironment): MachineSettings {
  return { managed: readManagedSettings(env), user: readSettingsOrSkip(userSettingsPath(env))[0] ?? null };
}

export function userSettingsPath(env: ClientEnvironment): string {
  return join(env.claude.configDir, "settings.json");
}

/**
 * @returns null where there is no such file
 * @throws TeamMemoryError `disk` where it cannot be read
 * @throws SyntaxError where it is not JSON
 */
export function readSettings(path: string): SettingsFile | null {
  const text = readSmallFile(path, LIMITS.settingsFileSizeBytesMax);
  if (text === null) return null;
  const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  return { path, values: isRecord(json) ? json : {} };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readManagedSettings(env: ClientEnvironment): readonly SettingsFile[] {
  const dropIns = join(env.claude.managedDir, "managed-settings.d");
  const paths = [
    join(env.claude.managedDir, "managed-settings.json"),
    ...listJsonFiles(dropIns).map((name) => join(dropIns, name)),
  ];
  return paths.flatMap((path) => readSettingsOrSkip(path)).reverse();
}

function readSettingsOrSkip(path: string): SettingsFile[] {
  try {
    const file = readSettings(path);
    return file === null ? [] : [file];
  } catch {
    return [];
  }
}

function listJsonFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .sort();
  } catch {
    return [];
  }
}
