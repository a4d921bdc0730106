/**
 * One file an object is how we write; thousands of them are slow to read and to back up. Git packs them where it is there,
 * off the way of any request, and keeps what became unreachable for two weeks. Without git they stay as they are.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { type GitBinary, runGit } from "./git-binary.ts";
import { isMissing, translateGitError } from "./translate-git-error.ts";

export interface Compaction {
  readonly git: GitBinary | null;
  readonly gitDir: string;
}

/** Whether anything was packed. Safe beside readers and writers; cheap when there is nothing to do. */
export async function compactWhenGrown({ git, gitDir }: Compaction): Promise<boolean> {
  if (git === null) return false;
  try {
    if (!(await hasGrown(gitDir))) return false;
    // Unreachable objects of the last two weeks would stay files, and have this run again and again; from git 2.37 on
    // they go into a pack of their own.
    const settings = ["-c", "gc.packRefs=false", "-c", "gc.cruftPacks=true"];
    await runGit(git, [`--git-dir=${gitDir}`, ...settings, "gc", "--quiet"], {
      timeoutMs: LIMITS.gitCompactionTimeoutMs,
    });
    return true;
  } catch (error) {
    throw translateGitError(error, "compact the repository");
  }
}

/** Ids are evenly spread, so one folder in 256 tells for all. */
async function hasGrown(gitDir: string): Promise<boolean> {
  const loose = await readdir(join(gitDir, "objects", "17")).catch(noneWhenMissing);
  const packs = await readdir(join(gitDir, "objects", "pack")).catch(noneWhenMissing);
  const packCount = packs.filter((name) => name.endsWith(".pack")).length;
  return loose.length * 256 > LIMITS.gitLooseObjectsMax || packCount > LIMITS.gitPacksMax;
}

function noneWhenMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}
