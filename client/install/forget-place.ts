import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { toDiskError } from "../../shared/path/disk-error.ts";
import type { HeldFolder } from "../../shared/path/held-folder.ts";
import { PathTraversalError } from "../../shared/path/path-traversal-error.ts";
import { blobIdOf } from "../../shared/sync/git-ids.ts";
import { nameOf } from "../sync/folder/key-parts.ts";
import { listTeam, type TeamListing } from "../sync/folder/list-team.ts";
import { moveFile } from "../sync/folder/move-file.ts";
import { inFolders } from "../sync/folder/open-folder.ts";
import { readHeld } from "../sync/folder/read-local.ts";
import { withLock } from "../sync/lock/lock.ts";
import { recover } from "../sync/pull/recover.ts";
import { sweepStrays } from "../sync/pull/sweep-strays.ts";
import { INDEX_NAME } from "../sync/pull/write-index.ts";
import { type Attic, openAttic } from "../sync/state/attic.ts";
import { readHead } from "../sync/state/head.ts";
import { readCachedIndex } from "../sync/state/index-cache.ts";
import { statePath } from "../sync/state/layout.ts";
import type { Marks } from "../sync/state/marks.ts";
import { writeMarks } from "../sync/state/marks-file.ts";
import { readPristine } from "../sync/state/pristine.ts";
import type { Place } from "./list-places.ts";

/** What became of one memory directory. */
export interface Forgotten {
  readonly memoryDir: string | null;
  /** How many memories went, those that are as the team has them; the index, which goes with them, is none. */
  readonly removed: number;
  /** Below `team/`: files whose text may stand nowhere else. */
  readonly kept: readonly string[];
  /** The folder with replaced texts; null where there are none. */
  readonly attic: string | null;
}

/**
 * Takes away what pulling brought: files that are still what the team has, the index, the state. A text that may stand
 * nowhere else stays: changed and local-only files where they are, replaced ones in the attic.
 *
 * @param decided marks that outlast it
 * @throws TeamMemoryError `busy`, `disk`, `disk_full`
 */
export async function forgetPlace({ stateFolder, memoryDir }: Place, decided?: Marks): Promise<Forgotten> {
  const { removed, kept } = await withLock(stateFolder, { waitMs: LIMITS.lockWaitMs }, async () => {
    const files = memoryDir === null ? NO_FILES : removeCopies(join(memoryDir, "team"), stateFolder);
    if (decided !== undefined) writeMarks(stateFolder, decided);
    dropState(stateFolder, decided === undefined ? ["attic", "lock"] : ["attic", "lock", "marks"]);
    return files;
  });
  removeIfEmpty(stateFolder);
  const attic = statePath(stateFolder, "attic");
  return { memoryDir, removed, kept, attic: readNames(attic).length > 0 ? attic : null };
}

/** The files alone, what a killed pull left included; the state stays. Call it under the place's lock. */
function removeCopies(teamDir: string, stateFolder: string): Pick<Forgotten, "removed" | "kept"> {
  const attic = openAttic(stateFolder, new Date());
  try {
    recover({ teamDir, stateFolder }, attic);
    const listing = listTeam(teamDir);
    return listing === null ? NO_FILES : removeListed({ teamDir, stateFolder, listing, attic });
  } catch (error) {
    // A link in a folder's place: what lies behind it is not ours.
    if (error instanceof PathTraversalError) return { removed: 0, kept: [error.displayKey] };
    throw error;
  }
}

const NO_FILES = { removed: 0, kept: [] };

interface Listed {
  readonly teamDir: string;
  readonly stateFolder: string;
  readonly listing: TeamListing;
  readonly attic: Attic;
}

function removeListed({ teamDir, stateFolder, listing, attic }: Listed): Pick<Forgotten, "removed" | "kept"> {
  const copies = listCopies(stateFolder).filter(({ key }) => listing.files.has(key as never) || isIndex(key, listing));
  sweepStrays({ teamDir, attic, strays: listing.strays, known: new Set() });
  const removed = new Set<string>();
  inFolders(teamDir, copies, (folder, copy) => {
    if (removeCopy(folder, copy, attic)) removed.add(copy.key);
  });
  removeEmptyFolders(teamDir, listing);
  const index = listing.hasIndex ? [INDEX_NAME] : [];
  const all = [...listing.files, ...index, ...listing.oddities.map(({ name }) => name)];
  const memories = [...removed].filter((name) => name !== INDEX_NAME);
  return { removed: memories.length, kept: all.filter((name) => !removed.has(name)).sort() };
}

/** A key, and the canonical text's id by which its file is known to be no edit. */
interface Copy {
  readonly key: string;
  readonly blob: string;
}

/** Where the pristine copies are damaged nothing can be told to be one, and every file stays. */
function listCopies(stateFolder: string): readonly Copy[] {
  const head = readHead(stateFolder);
  const pristine = head === null ? null : readPristine(stateFolder, head.packs);
  const index = readCachedIndex(stateFolder);
  return [
    ...[...(pristine ?? new Map())].map(([key, { canonicalBlob }]) => ({ key, blob: canonicalBlob })),
    ...(index === null ? [] : [{ key: INDEX_NAME, blob: blobIdOf(index.text) }]),
  ];
}

function isIndex(key: string, { hasIndex }: TeamListing): boolean {
  return hasIndex && key === INDEX_NAME;
}

/** Looked at again after it was renamed aside: an agent may be writing it at this moment. */
function removeCopy(folder: HeldFolder, { key, blob }: Copy, attic: Attic): boolean {
  const local = readHeld(folder, nameOf(key));
  if (local.kind !== "file" || local.blob !== blob) return false;
  return moveFile(folder, { key, temp: null, displaced: blobIdOf(local.bytes), attic: null, base: null }, attic).isDone;
}

/** Deepest first, `team/` last; one that still holds something stays. */
function removeEmptyFolders(teamDir: string, { folders }: TeamListing): void {
  const deepestFirst = folders.map(({ path }) => path).sort((a, b) => b.length - a.length);
  for (const path of deepestFirst) removeIfEmpty(join(teamDir, path));
}

/** Everything but what is named: the attic always, and the lock that is held. */
function dropState(stateFolder: string, kept: readonly ("attic" | "lock" | "marks")[]): void {
  try {
    const staying = new Set(kept.map((name) => statePath(stateFolder, name)));
    const paths = readNames(stateFolder).map((name) => join(stateFolder, name));
    for (const path of paths) if (!staying.has(path)) rmSync(path, { recursive: true, force: true });
    removeIfEmpty(statePath(stateFolder, "attic"));
  } catch (error) {
    throw toDiskError(error, "remove the state", stateFolder);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds something, or is gone.
  }
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
