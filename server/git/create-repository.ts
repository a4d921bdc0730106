/**
 * A new bare repository is built whole in a folder beside its place, root commit included, and renamed there: two
 * processes that create it at once end up with the history of the one whose rename came first, and a kill leaves no half
 * of one.
 */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { syncFolderOf } from "./atomic-file.ts";
import { openDiskPort } from "./disk-port.ts";
import type { GitPort } from "./port.ts";
import { SERVICE_IDENTITY } from "./service-identity.ts";
import { errorCodeOf } from "./translate-git-error.ts";

/** The repository's folder below the data folder; it is the end of the URL that people clone, too. */
export const REPOSITORY_NAME = "memory.git";

/** How folders that were never finished are named, so that a start can sweep them. */
export const UNFINISHED_PREFIX = `${REPOSITORY_NAME}.new-`;

/** Our own state: people, hashed tokens. Never advertised, never taken by a push. */
export const HIDDEN_REF = "refs/team-memory/state";

const README = `# Team memory

What coding agents learn about our projects: one Markdown file a memory, below \`projects/<project>/team/\`.
Changes are proposed on branches named \`team-memory/…\` and reviewed before they reach the base.
`;

/** Create `gitDir` with its first commit; returns when it exists, whoever created it. */
export async function createRepository(folder: string, gitDir: string, baseRef: string): Promise<void> {
  const unfinished = join(folder, UNFINISHED_PREFIX + randomBytes(8).toString("hex"));
  try {
    await writeLayout(unfinished, baseRef);
    await commitReadme(await openDiskPort({ gitDir: unfinished, git: null, baseRef }), baseRef);
    await rename(unfinished, gitDir);
    await syncFolderOf(gitDir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    const code = errorCodeOf(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

/** The files without which git does not take a folder for a repository. Existing ones are left alone. */
export async function writeLayout(gitDir: string, baseRef: string): Promise<void> {
  for (const part of ["objects/info", "objects/pack", "refs/heads", "refs/team-memory", "info"]) {
    await mkdir(join(gitDir, part), { recursive: true, mode: 0o700 });
  }
  await writeNew(join(gitDir, "HEAD"), `ref: ${baseRef}\n`);
  await writeNew(join(gitDir, "config"), CONFIG);
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", flush: true });
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Pushes must be fast-forwards and sound; our own references are neither shown nor taken; git's clean-up never runs in
 * the middle of a push; what git says is written is on the disk. References stay files: git tells versions of packed-refs
 * apart by whole seconds, size and inode, so that one that is replaced twice within a second can pass for the older one,
 * and a push can go over a commit (seen with git 2.39). There are few of them, packing would win nothing.
 */
const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	fsync = committed,derived-metadata,reference
[gc]
	auto = 0
	packRefs = false
[receive]
	autogc = false
	denyNonFastForwards = true
	denyDeletes = false
	advertisePushOptions = false
[http]
	receivepack = true
[transfer]
	fsckObjects = true
	hideRefs = ${HIDDEN_REF}
`;

/** Every repository begins with one commit, so that there is always a base to propose to. Another's may come first. */
export async function commitReadme(git: GitPort, baseRef: string, identity = SERVICE_IDENTITY): Promise<void> {
  const root = await git.commitRoot({
    changes: [{ path: "README.md", blob: await git.writeBlob(Buffer.from(README)) }],
    author: identity,
    committer: identity,
    at: new Date(),
    message: "Begin the team's memory",
  });
  await git.publish([{ ref: baseRef, expectedOld: null, new: root }]);
}
