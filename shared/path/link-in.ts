import { closeSync, constants, linkSync, openSync, renameSync, unlinkSync } from "node:fs";
import { codeOf } from "./disk-error.ts";

/** What file systems without hard links answer (exFAT, some shared folders of virtual machines). */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"];

/**
 * Gives `temp` the name `target` unless something lies there: a link never replaces. A kill in between leaves both names.
 * Without hard links the name is claimed by an empty file, which the temp then replaces: a kill in between leaves the
 * empty file, which counts as missing; what another writer puts into it in that moment is lost.
 * @returns false where something lies at `target`; the temp is still there then
 */
export function linkIn(temp: string, target: string, link: typeof linkSync = linkSync): boolean {
  try {
    link(temp, target);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (NO_LINKS.includes(codeOf(error))) return claim(temp, target);
    throw error;
  }
  unlinkSync(temp);
  return true;
}

function claim(temp: string, target: string): boolean {
  try {
    closeSync(openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  renameSync(temp, target);
  return true;
}
