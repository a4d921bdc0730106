import { type BigIntStats, lstatSync } from "node:fs";
import { brokenBy, refuse } from "./check-team-path.ts";
import type { FolderTarget, Hold } from "./hold.ts";
import { makeFolder } from "./make-folder.ts";
import { isSamePin } from "./pin.ts";

/**
 * Where no path leads through a descriptor (macOS, Windows, Linux without /proc), the working directory is the one folder
 * that a process holds itself. Each call walks there from the team directory, one folder at a time, looks whether it
 * arrived where it looked, does its work on bare names, and goes back. So a folder swapped for a link is noticed before
 * a name is touched, and a swap after that leads nowhere.
 *
 * The price: the working directory is the whole process's. It is elsewhere only while a synchronous call runs, so that no
 * other code of this thread sees it; what other threads do with relative paths at that moment would go astray, and in a
 * worker, which may not move it, every call is an error. What remains of the race: folders moved within the team
 * directory may send a file to another folder of it, never outside.
 */
export function holdByWorkingDirectory(target: FolderTarget): Hold | null {
  const isThere = returning(() => enter(target, target.isCreating));
  if (!isThere) return null;
  const within = <Result>(act: (prefix: string) => Result): Result =>
    returning(() => {
      if (!enter(target, false)) refuse(target.key, "R-MOVED");
      return act("./");
    });
  return { within, release: () => {} };
}

function returning<Result>(act: () => Result): Result {
  const back = process.cwd();
  try {
    return act();
  } finally {
    process.chdir(back);
  }
}

function enter(target: FolderTarget, isCreating: boolean): boolean {
  process.chdir(target.teamDir);
  if (!isSamePin(here(), target.pin)) refuse(target.key, "R-MOVED");
  return target.folders.every((folder) => enterBelow(folder, target, isCreating));
}

function enterBelow(folder: string, target: FolderTarget, isCreating: boolean): boolean {
  if (isCreating) makeFolder(folder);
  const entry = lstatSync(folder, { bigint: true, throwIfNoEntry: isCreating });
  if (!entry) return false;
  const broken = brokenBy(entry, "folder", target.pin);
  if (broken) refuse(target.key, broken);
  // Follows a link that took the folder's place since; then this is not the folder that was looked at.
  process.chdir(folder);
  if (!isSamePin(here(), entry)) refuse(target.key, "R-MOVED");
  return true;
}

function here(): BigIntStats {
  return lstatSync(".", { bigint: true });
}
