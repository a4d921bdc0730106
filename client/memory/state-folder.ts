import { isAbsolute, join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";

/** By memory directory: outside of it, so that no scanner takes attic copies for memories. */
export function toStateFolder(env: ClientEnvironment, memoryDir: string): string {
  return join(env.stateDir, toFolderName(memoryDir));
}

/** To be read by people; a path too long for a folder's name is hashed. Loading node:crypto takes longer than all this. */
function toFolderName(path: string): string {
  const name = encodeURIComponent(path);
  if (name.length <= LIMITS.stateFolderNameLengthMax) return name;
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(path).digest("hex");
}

/** Of what lies in the user's state folder: whether it is a memory directory's. */
export function isStateFolderName(name: string): boolean {
  if (/^[0-9a-f]{64}$/.test(name)) return true;
  try {
    return isAbsolute(decodeURIComponent(name));
  } catch {
    return false;
  }
}
