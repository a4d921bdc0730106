import nodePath from "node:path";
import { type Check, runCheck, runCheckSync } from "./ask-disk.ts";
import { checkDeepestExisting, checkTeamPath } from "./check-team-path.ts";
import { PathTraversalError } from "./path-traversal-error.ts";
import type { Pin } from "./pin.ts";
import { type MemoryKey, sanitizePathKey } from "./sanitize-path-key.ts";

declare const teamPath: unique symbol;

/**
 * A file below the team directory that passed all three layers. The brand does not promise that the file exists, nor
 * that nobody swaps a folder for a link a moment later: openTeamFolder goes there in a way that a swap cannot redirect.
 */
export type TeamPath = {
  readonly path: string;
  readonly key: MemoryKey;
  readonly teamDir: string;
  /** Which directory on disk was checked. */
  readonly pin: Pin;
} & { readonly [teamPath]: true };

/**
 * All three layers: the key's rules, the resolved path's prefix, and what lies on disk.
 * @param teamDir absolute path of `team/`; it must exist, be a real directory and belong to this user
 * @param pin the team directory that the first file of this run was checked in; another one under its path is refused
 * @throws PathTraversalError (`path_traversal`), whatever the failure
 */
export async function validateTeamMemoryPath(teamDir: string, key: unknown, pin?: Pin): Promise<TeamPath> {
  return runCheck(validate(teamDir, key, pin));
}

/** @throws PathTraversalError, as the asynchronous form */
export function validateTeamMemoryPathSync(teamDir: string, key: unknown, pin?: Pin): TeamPath {
  return runCheckSync(validate(teamDir, key, pin));
}

/**
 * The third layer's question: the real path of `path`, or of its deepest ancestor that exists. Walks up only past names
 * that are not there; a dangling link, a loop, a file among the folders, a name too long, a folder that may not be
 * read and every error without a name here is a PathTraversalError.
 */
export async function realpathDeepestExisting(path: string): Promise<string> {
  return runCheck(checkDeepestExisting(path));
}

/** @throws PathTraversalError, as the asynchronous form */
export function realpathDeepestExistingSync(path: string): string {
  return runCheckSync(checkDeepestExisting(path));
}

/**
 * The second layer, no disk: the absolute path of `key`, strictly below `teamDir`. The prefix is compared with its
 * separator: `team-evil/` is not `team/`.
 * @param rules the path rules of the platform; tests give the other one's
 * @throws PathTraversalError `R-ROOT` where `teamDir` is the root of a file system, `R-PREFIX` where the path leaves it
 */
export function resolveTeamPath(teamDir: string, key: MemoryKey, rules: PathRules = nodePath): string {
  const team = rules.resolve(teamDir);
  // The root's prefix would be `//`, which nothing starts with, or everything does once it is trimmed.
  if (team === rules.parse(team).root) {
    throw new PathTraversalError({ rule: "R-ROOT", key, reason: "would lie in the root of a file system" });
  }
  const path = rules.resolve(team, key);
  if (!path.startsWith(team + rules.sep)) {
    throw new PathTraversalError({ rule: "R-PREFIX", key, reason: "leaves the team directory" });
  }
  return path;
}

type PathRules = Pick<typeof nodePath, "parse" | "resolve" | "sep">;

function* validate(teamDir: string, key: unknown, expected: Pin | undefined): Check<TeamPath> {
  const memoryKey = sanitizePathKey(key);
  const path = resolveTeamPath(teamDir, memoryKey);
  const team = nodePath.resolve(teamDir);
  const pin = yield* checkTeamPath(team, memoryKey, expected);
  // The one place that gives the brand.
  return { path, key: memoryKey, teamDir: team, pin } as TeamPath;
}
