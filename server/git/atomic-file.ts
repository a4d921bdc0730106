import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCodeOf } from "./translate-git-error.ts";

interface AtomicWrite {
  /** Folder for the unfinished file: on the same disk, and where no reader takes it for something else. */
  readonly tempFolder: string;
  /** Beginning of its name; `tmp_obj_` is what git's own prune sweeps. */
  readonly tempPrefix: string;
  readonly mode: number;
}

/**
 * Put `bytes` at `path` whole or not at all: a new file is written, flushed to the disk and renamed over it. A kill
 * leaves at most a file named `<tempPrefix><16 hex digits>`, which the next start sweeps.
 */
export async function writeFileAtomic(path: string, bytes: Uint8Array | string, how: AtomicWrite): Promise<void> {
  const temp = join(how.tempFolder, how.tempPrefix + randomBytes(8).toString("hex"));
  const file = await open(temp, "wx", how.mode);
  try {
    await fillAndClose(file, bytes);
    await rename(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => {});
    throw error;
  }
}

async function fillAndClose(file: FileHandle, bytes: Uint8Array | string): Promise<void> {
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Make the names in a file's folder as durable as its bytes. A disk that cannot flush a folder says EINVAL or EPERM. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } catch (error) {
    const code = errorCodeOf(error);
    if (code !== "EINVAL" && code !== "EPERM") throw error;
  } finally {
    await folder.close();
  }
}
