/**
 * What a kill or a power cut leaves behind, looked for at start: unfinished files, locks of processes that are gone, files
 * that are empty and must not be, packs without an index. Others may be at work in the same repository, so what could
 * be theirs is left until it is old.
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { join, sep } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { toAgeMs } from "../../shared/to-age-ms.ts";
import { type GitBinary, runGit } from "./git-binary.ts";
import { planHealing, type Seen } from "./plan-healing.ts";
import { breakLock, isDead } from "./ref-lock.ts";
import { isMissing } from "./translate-git-error.ts";

interface Repository {
  /** The data folder, in which unfinished repositories lie too. */
  readonly folder: string;
  readonly gitDir: string;
  readonly git: GitBinary | null;
  readonly baseRef: string;
}

/** What was done, one line each, for the log. */
export async function healRepository(repository: Repository): Promise<readonly string[]> {
  const healed: string[] = [];
  for (const seen of await lookAround(repository)) {
    const done = await applyHealing(repository, seen);
    if (done !== null) healed.push(`${done} ${seen.path}`);
  }
  return [...healed, ...(await indexPacks(repository))];
}

async function applyHealing({ folder, gitDir, baseRef }: Repository, seen: Seen): Promise<string | null> {
  const path = join(folder, seen.path);
  const plan = planHealing(seen, baseRef);
  if (plan === "remove") {
    await rm(path, { recursive: true, force: true });
    return seen.isFolder || seen.sizeBytes > 0 ? "removed the unfinished" : "removed the empty";
  }
  if (plan === "keep" || !(await isDead(path))) return null;
  await breakLock(gitDir, path);
  return "broke the lock";
}

/** Folders are listed one by one: a repository has a few hundred, and one of them may hold thousands of files. */
async function lookAround({ folder, gitDir }: Repository): Promise<readonly Seen[]> {
  const refs = await listFolders(join(gitDir, "refs"));
  const objects = await listFolders(join(gitDir, "objects"));
  const seen: Seen[] = [];
  for (const place of [folder, gitDir, ...refs, ...objects]) seen.push(...(await look(folder, place)));
  return seen;
}

async function listFolders(top: string): Promise<readonly string[]> {
  const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(noneWhenMissing);
  return [top, ...entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))];
}

async function look(folder: string, place: string): Promise<readonly Seen[]> {
  const names = await readdir(place).catch(noneWhenMissing);
  const seen = await Promise.all(names.map((name) => lookAtOne(folder, join(place, name))));
  return seen.filter((one) => one !== null);
}

async function lookAtOne(folder: string, path: string): Promise<Seen | null> {
  try {
    const stat = await lstat(path);
    return {
      path: path.slice(folder.length + 1).replaceAll(sep, "/"),
      isFolder: stat.isDirectory(),
      sizeBytes: stat.size,
      ageMs: toAgeMs(stat),
    };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A pack whose index is gone holds its objects still: git writes the index anew. Without git the pack waits. */
async function indexPacks({ gitDir, git }: Repository): Promise<readonly string[]> {
  if (git === null) return [];
  const folder = join(gitDir, "objects", "pack");
  const packs = await look(folder, folder);
  const indexes = new Set(packs.map(({ path }) => path).filter((name) => name.endsWith(".idx")));
  const healed: string[] = [];
  for (const { path, ageMs } of packs) {
    const orphan = path.endsWith(".pack") && !indexes.has(path.replace(/pack$/u, "idx"));
    if (orphan && ageMs > LIMITS.gitUnfinishedAgeMs)
      healed.push(await indexPack({ gitDir, git, pack: join(folder, path) }));
  }
  return healed;
}

async function indexPack({ gitDir, git, pack }: { gitDir: string; git: GitBinary; pack: string }): Promise<string> {
  try {
    await runGit(git, [`--git-dir=${gitDir}`, "index-pack", pack]);
    return `indexed the pack ${pack}`;
  } catch {
    return `could not index the pack ${pack}`;
  }
}

function noneWhenMissing(error: unknown): [] {
  if (isMissing(error)) return [];
  throw error;
}
