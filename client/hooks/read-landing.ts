import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { LIMITS } from "../../shared/limits.ts";

/**
 * Where a write to an absolute path lands on disk, step by step: what is there is followed if it is a link, what is not
 * there is taken as it is written. So a link to nothing yet is followed, too. Null: a loop, which no write gets through.
 */
export function readLanding(path: string): string | null {
  const pending = toSegments(path);
  let at = parse(path).root;
  for (let links = 0; pending.length > 0; ) {
    const segment = pending.shift() ?? "";
    const next = segment === ".." ? dirname(at) : join(at, segment);
    const target = readLink(next);
    if (target === null) {
      at = next;
      continue;
    }
    links += 1;
    if (links > LIMITS.linksFollowedMax) return null;
    if (isAbsolute(target)) at = parse(target).root;
    pending.unshift(...toSegments(target));
  }
  return at;
}

function toSegments(path: string): string[] {
  const below = path.slice(parse(path).root.length);
  return below.split(sep === "/" ? "/" : /[\\/]/).filter((segment) => segment !== "" && segment !== ".");
}

function readLink(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
