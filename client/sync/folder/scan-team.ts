import type { Stats } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { type FileStat, readStats, writeStats } from "../state/stat-cache.ts";
import { nameOf } from "./key-parts.ts";
import type { TeamListing } from "./list-team.ts";
import type { LocalFact } from "./local-fact.ts";
import { look } from "./look.ts";
import { inFolders } from "./open-folder.ts";
import { readHeld, toFact } from "./read-local.ts";

/**
 * What every file under team/ holds, by its canonical blob. A file that is by size, times and inode the one that was read
 * before is not read again; one that was written in the moment of that reading is, for its time proves nothing.
 */
export function scanTeam(
  place: { readonly teamDir: string; readonly stateFolder: string },
  listing: TeamListing,
): ReadonlyMap<MemoryKey, LocalFact> {
  const scannedAtMs = Date.now();
  const known = readStats(place.stateFolder);
  const stats = new Map<string, FileStat>();
  const facts = new Map<MemoryKey, LocalFact>();
  const unread: { key: MemoryKey; stat: Stats }[] = [];
  for (const key of listing.files) {
    const stat = look(join(place.teamDir, key));
    const before = known.files.get(key);
    if (stat === null) continue;
    if (stat === "unreadable") facts.set(key, { kind: "blocked", because: stat });
    else if (before === undefined || !isSame(before, stat, known.scannedAtMs)) unread.push({ key, stat });
    else {
      stats.set(key, before);
      facts.set(key, { kind: "file", blob: before.blob });
    }
  }
  inFolders(place.teamDir, unread, (folder, { key, stat }) => {
    const local = readHeld(folder, nameOf(key));
    facts.set(key, toFact(local));
    if (local.kind === "file") stats.set(key, toFileStat(stat, local.blob));
  });
  if (unread.length > 0 || stats.size !== known.files.size)
    writeStats(place.stateFolder, { scannedAtMs, files: stats });
  return facts;
}

function isSame(before: FileStat, now: Stats, scannedAtMs: number): boolean {
  const isOld = Math.max(now.mtimeMs, now.ctimeMs) < scannedAtMs - LIMITS.folderTimeGrainMs;
  const { sizeBytes, mtimeMs, ctimeMs, ino } = before;
  return isOld && now.size === sizeBytes && now.mtimeMs === mtimeMs && now.ctimeMs === ctimeMs && now.ino === ino;
}

function toFileStat({ size, mtimeMs, ctimeMs, ino }: Stats, blob: string): FileStat {
  return { sizeBytes: size, mtimeMs, ctimeMs, ino, blob };
}
