/**
 * References as git keeps them: a file each, or a line of packed-refs; the file wins. Nothing is cached, so what native
 * git has written is seen at once.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { GitId } from "./port.ts";
import { assertRefName, isRefName } from "./ref-name.ts";
import { errorCodeOf, isMissing } from "./translate-git-error.ts";

/** Id of a reference, or null. Throws `bad_request` for its name, `repository_damaged` where its file holds no id. */
export async function readRef(gitDir: string, ref: string): Promise<GitId | null> {
  assertRefName(ref);
  return (await readLooseRef(gitDir, ref)) ?? (await readPackedRefs(gitDir)).get(ref) ?? null;
}

/**
 * References whose full name begins with `prefix`, sorted. Files are read before packed-refs: git packs a reference
 * before it removes the file, so one that moves meanwhile is seen at least once.
 */
export async function readRefs(gitDir: string, prefix: string): Promise<ReadonlyMap<string, GitId>> {
  const loose = new Map<string, GitId>();
  for (const ref of await listLooseRefs(gitDir, prefix)) {
    const id = await readLooseRef(gitDir, ref);
    if (id !== null) loose.set(ref, id);
  }
  const packed = [...(await readPackedRefs(gitDir))].filter(([ref]) => ref.startsWith(prefix) && isRefName(ref));
  return new Map([...new Map([...packed, ...loose])].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function listLooseRefs(gitDir: string, prefix: string): Promise<readonly string[]> {
  const folder = prefix.slice(0, prefix.lastIndexOf("/"));
  const entries = await readdir(join(gitDir, folder), { recursive: true, withFileTypes: true }).catch(noneWhenMissing);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(gitDir.length + 1))
    .filter((ref) => ref.startsWith(prefix) && isRefName(ref));
}

function noneWhenMissing(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}

/** Null where there is no file of that name. An empty one is damage: falling back to packed-refs would turn back time. */
async function readLooseRef(gitDir: string, ref: string): Promise<GitId | null> {
  let text: string;
  try {
    text = await readFile(join(gitDir, ref), "latin1");
  } catch (error) {
    if (isMissing(error) || errorCodeOf(error) === "EISDIR") return null;
    throw error;
  }
  const id = text.trimEnd();
  if (/^[0-9a-f]{40}$/u.test(id)) return id;
  throw new TeamMemoryError("repository_damaged", `could not read the reference ${ref}: its file holds no id`);
}

async function readPackedRefs(gitDir: string): Promise<ReadonlyMap<string, GitId>> {
  try {
    return parsePackedRefs(await readFile(join(gitDir, "packed-refs"), "latin1"));
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}

/** Lines are `<id> <ref>`; comments begin with `#`, what a tag points at with `^`. */
function parsePackedRefs(text: string): ReadonlyMap<string, GitId> {
  const refs = new Map<string, GitId>();
  for (const line of text.split("\n")) {
    const match = /^(?<id>[0-9a-f]{40}) (?<ref>\S+)$/u.exec(line);
    if (match?.groups?.["ref"] !== undefined) refs.set(match.groups["ref"], match.groups["id"] ?? "");
  }
  return refs;
}
