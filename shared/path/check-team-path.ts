import { dirname, join, parse, resolve, sep } from "node:path";
import type { Check, DiskEntry, DiskFailure } from "./ask-disk.ts";
import { PathTraversalError } from "./path-traversal-error.ts";
import { isSamePin, type Pin } from "./pin.ts";
import type { MemoryKey } from "./sanitize-path-key.ts";

/**
 * What the third layer asks of one file: the team directory is real, nothing below it on the way is a link, and the real
 * path of the deepest part that exists lies in the real team directory. Both real paths come from the same function, so
 * that links above the team directory, and how a disk spells names, change both alike.
 */
export function* checkTeamPath(teamDir: string, key: MemoryKey, expected?: Pin): Check<Pin> {
  const pin = yield* checkTeamDir(teamDir, key);
  if (expected && !isSamePin(pin, expected)) refuse(key, "R-MOVED");
  const deepest = yield* checkSegments(teamDir, key, pin);
  const team = yield* checkReal(teamDir, key);
  const real = deepest === teamDir ? team : yield* checkReal(deepest, key);
  if (!(real + sep).startsWith(team + sep)) refuse(key, "R-OUTSIDE");
  return pin;
}

/**
 * The team directory itself: a real directory, not a link, and this user's own (root may use what is mounted for it). Its
 * ancestors may be links: people keep their settings elsewhere and link them in.
 */
export function* checkTeamDir(teamDir: string, key: unknown): Check<Pin> {
  const { entry, failure } = yield { ask: "lstat", path: teamDir };
  if (!entry) return refuse(key, failure?.code === "ENOENT" ? "R-TEAM-DIR" : ruleOf(failure), failure);
  if (entry.isSymbolicLink() || !entry.isDirectory()) refuse(key, "R-TEAM-DIR");
  const self = process.geteuid?.() ?? 0;
  if (self !== 0 && entry.uid !== BigInt(self)) refuse(key, "R-OWNER");
  return { dev: entry.dev, ino: entry.ino };
}

/**
 * From the team directory down: folders that are folders, on the same disk, and at the end a regular file or nothing.
 * @returns the deepest part that exists
 */
function* checkSegments(teamDir: string, key: MemoryKey, pin: Pin): Check<string> {
  const segments = key.split("/");
  let deepest = teamDir;
  for (const [index, segment] of segments.entries()) {
    const path = join(deepest, segment);
    const { entry, failure } = yield { ask: "lstat", path };
    if (failure?.code === "ENOENT") return deepest;
    if (!entry) return refuse(key, ruleOf(failure), failure);
    const rule = brokenBy(entry, index === segments.length - 1 ? "file" : "folder", pin);
    if (rule) refuse(key, rule);
    deepest = path;
  }
  return deepest;
}

export function brokenBy(entry: DiskEntry, wanted: "file" | "folder", pin: Pin): PhysicalRule | null {
  if (entry.isSymbolicLink()) return "R-LINK";
  if (wanted === "file" && !entry.isFile()) return "R-NOT-FILE";
  if (wanted === "folder" && !entry.isDirectory()) return "R-NOT-FOLDER";
  return entry.dev === pin.dev ? null : "R-DEVICE";
}

/** Up from `path`, past names that are not there and past nothing else. Errors name the path. */
export function* checkDeepestExisting(path: string): Check<string> {
  const { root } = parse(resolve(path));
  for (let current = resolve(path); ; current = dirname(current)) {
    const { entry, failure } = yield { ask: "lstat", path: current };
    if (entry) return yield* checkReal(current, path);
    if (failure?.code !== "ENOENT" || current === root) refuse(path, ruleOf(failure), failure);
  }
}

/** The real path of what was there a moment ago; that it is not there now means a link to nothing. */
function* checkReal(path: string, key: string): Check<string> {
  const { real, failure } = yield { ask: "realpath", path };
  if (real !== undefined) return real;
  return refuse(key, failure?.code === "ENOENT" ? "R-DANGLING" : ruleOf(failure), failure);
}

const PHYSICAL_RULES = {
  "R-TEAM-DIR": "has no real team directory to lie in",
  "R-OWNER": "would lie in a team directory of another user",
  "R-OUTSIDE": "leads outside the team directory on disk",
  "R-LINK": "leads through a link",
  "R-DANGLING": "leads through a link to nothing",
  "R-LOOP": "leads through a loop of links",
  "R-NOT-FOLDER": "needs a folder where something else is",
  "R-NOT-FILE": "names something that is not a regular file",
  "R-DEVICE": "leads to another file system",
  "R-MOVED": "lies in a folder that was replaced meanwhile",
  "R-SEGMENT": "is used with a name that is not a single segment",
  "R-DENIED": "leads through a folder that cannot be read",
  "R-LEN-DISK": "is too long for this disk",
  "R-DISK": "cannot be looked up on disk",
} as const;

export type PhysicalRule = keyof typeof PHYSICAL_RULES;

const BY_CODE: Readonly<Record<string, PhysicalRule>> = {
  ELOOP: "R-LOOP",
  ENOTDIR: "R-NOT-FOLDER",
  EACCES: "R-DENIED",
  EPERM: "R-DENIED",
  ENAMETOOLONG: "R-LEN-DISK",
};

export function ruleOf(failure: DiskFailure | undefined): PhysicalRule {
  return BY_CODE[String(failure?.code)] ?? "R-DISK";
}

export function refuse(key: unknown, rule: PhysicalRule, failure?: DiskFailure): never {
  throw new PathTraversalError({ rule, key, reason: PHYSICAL_RULES[rule], cause: failure?.cause });
}
