import { statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { readLanding } from "./read-landing.ts";

export interface WritePlace {
  /** What a relative path starts from. */
  readonly cwd: string;
  readonly home: string;
  readonly teamDir: string;
}

/**
 * What a write to `path` would be called below `team/`, or null where it leads elsewhere. By the path as it is written,
 * and by where it lands on disk: links are followed, also ones to nothing yet, and a folder counts as `team/` when it is
 * the same one, however its name is spelled. So neither a link, nor `..` behind one, nor another case or Unicode form on
 * a disk that takes both for one leads past the guard.
 */
export function findTeamKey(path: string, { cwd, home, teamDir }: WritePlace): string | null {
  if (path.includes("\0") || path.length > LIMITS.joinedTextLengthMax) return null;
  const expanded = /^~[\\/]/.test(path) ? join(home, path.slice(2)) : path;
  const full = resolve(cwd, expanded);
  if (isBelow(full, teamDir)) return toKey(teamDir, full);
  const team = readLanding(teamDir);
  // Not resolved: `..` behind a link leads up from the link's target.
  const landings = [full, isAbsolute(expanded) ? expanded : `${cwd}${sep}${expanded}`].map(readLanding);
  for (const landing of landings) {
    const folder = landing === null || team === null ? null : findFolder(landing, team);
    if (landing !== null && folder !== null) return toKey(folder, landing);
  }
  return null;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder + sep);
}

function toKey(folder: string, path: string): string {
  const key = relative(folder, path).split(sep).join("/");
  // macOS takes both forms for one name and lists the composed one.
  return process.platform === "darwin" ? key.normalize("NFC") : key;
}

/** The folder above `path` that is `team`; null: none. */
function findFolder(path: string, team: string): string | null {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (isSameFolder(folder, team)) return folder;
  }
  return null;
}

/** While there is no such folder, any name that some disk would take for it. */
function isSameFolder(folder: string, team: string): boolean {
  if (folder === team) return true;
  const [a, b] = [identify(folder), identify(team)];
  return b === null ? fold(folder) === fold(team) : a === b;
}

function identify(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase();
}
