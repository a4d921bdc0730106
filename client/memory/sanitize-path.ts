import { readdirSync } from "node:fs";

/**
 * The host's name for a folder, exactly as it makes it: two projects that it keeps apart we keep apart, and the other
 * way round. Only ASCII letters and digits survive, nothing is collapsed; a long name is cut and carries a hash of the
 * whole path.
 */
const SLUG_LENGTH_MAX = 200;

export function sanitizePath(path: string): string {
  const slug = toSlug(path);
  return slug.length <= SLUG_LENGTH_MAX ? slug : `${slug.slice(0, SLUG_LENGTH_MAX)}-${hashPath(path)}`;
}

/**
 * As sanitizePath, but of a long path the folder that is there already: hosts have not always hashed alike. Where more
 * than one is there, none can be told to be this path's, and the computed name stands.
 */
export function findSlugFolder(projectsDir: string, path: string): string {
  const computed = sanitizePath(path);
  if (computed.length <= SLUG_LENGTH_MAX) return computed;
  const prefix = computed.slice(0, SLUG_LENGTH_MAX + 1);
  const found = listFolders(projectsDir).filter((name) => name.startsWith(prefix));
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? computed : only;
}

function toSlug(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9]/g, "-");
}

/** A signed 32-bit rolling hash over UTF-16 units of the path as it was, its size in base 36. */
function hashPath(path: string): string {
  let hash = 0;
  for (let at = 0; at < path.length; at += 1) hash = (Math.imul(hash, 31) + path.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}
