import { closeSync, constants, fchmodSync, openSync, unlinkSync, writeSync } from "node:fs";

const AS_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Writes a new file, 0600 whatever the umask; a file that could not be written whole is removed again. */
export function writeTemp(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, AS_NEW, 0o600);
  try {
    // The umask can only take from what was asked for: a call of its own for each of a thousand files is seldom needed.
    if ((process.umask() & 0o600) !== 0) fchmodSync(descriptor, 0o600);
    writeAll(descriptor, bytes);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** One write may take less than it was given. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
