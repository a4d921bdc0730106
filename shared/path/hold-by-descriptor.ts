import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { refuse } from "./check-team-path.ts";
import { codeOf } from "./disk-error.ts";
import type { FolderTarget, Hold } from "./hold.ts";
import { makeFolder } from "./make-folder.ts";
import { isSamePin } from "./pin.ts";

const AS_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Linux: every folder is opened below the descriptor of the one before it, and names are used below the last. A folder
 * that is swapped for a link after the check leads nowhere: a descriptor stays with the folder that was opened.
 * @returns null where a folder is missing and is not to be made
 */
export function holdByDescriptor(target: FolderTarget): Hold | null {
  let descriptor = openSync(target.teamDir, AS_FOLDER);
  try {
    if (!isSamePin(fstatSync(descriptor, { bigint: true }), target.pin)) refuse(target.key, "R-MOVED");
    for (const folder of target.folders) {
      const next = openBelow(descriptor, folder, target);
      closeSync(descriptor);
      if (next === null) return null;
      descriptor = next;
      if (fstatSync(descriptor, { bigint: true }).dev !== target.pin.dev) refuse(target.key, "R-DEVICE");
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return toHold(descriptor);
}

function openBelow(parent: number, folder: string, target: FolderTarget): number | null {
  const path = `/proc/self/fd/${parent}/${folder}`;
  try {
    return openSync(path, AS_FOLDER);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  if (!target.isCreating) return null;
  makeFolder(path);
  return openSync(path, AS_FOLDER);
}

/** Once closed, a descriptor's number may be given to any other folder: neither used nor closed again. */
function toHold(descriptor: number): Hold {
  let isHeld = true;
  return {
    within: (act) => {
      if (!isHeld) throw new TypeError("This folder is closed");
      return act(`/proc/self/fd/${descriptor}/`);
    },
    release: () => {
      if (isHeld) closeSync(descriptor);
      isHeld = false;
    },
  };
}
