import { KEY_RULES, type KeyRule } from "./key-rules.ts";
import { PathTraversalError } from "./path-traversal-error.ts";
import { isPlainKey } from "./plain-key.ts";

declare const memoryKey: unique symbol;

/**
 * A memory's path below `team/` that passed every lexical rule. The brand does not promise that the file exists, that
 * its folders are not links (see validateTeamMemoryPath), or that no other key of the project equals it on some disk
 * (see findKeyCollisions).
 */
export type MemoryKey = string & { readonly [memoryKey]: true };

/**
 * The first of the three layers: lexical, no disk.
 * @throws PathTraversalError (`path_traversal`) with the id of the first rule that the key breaks; `R-TYPE` for
 * anything but a string, before any coercion.
 */
export function sanitizePathKey(key: unknown): MemoryKey {
  if (typeof key !== "string") throw new PathTraversalError({ rule: "R-TYPE", key, reason: "is not a string" });
  const broken = findBroken(key);
  if (broken) throw new PathTraversalError({ rule: broken.id, key, reason: broken.reason });
  return key as MemoryKey;
}

export function isMemoryKey(key: unknown): key is MemoryKey {
  return typeof key === "string" && findBroken(key) === undefined;
}

function findBroken(key: string): KeyRule | undefined {
  return isPlainKey(key) ? undefined : KEY_RULES.find((rule) => rule.isBroken(key));
}
