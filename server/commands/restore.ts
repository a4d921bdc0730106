import { readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Command } from "../command.ts";
import { readConfig } from "../config.ts";
import { findGitBinary, type GitBinary, runGit } from "../git/git-binary.ts";
import { openEmbeddedRepository } from "../git/open-embedded.ts";
import { ADMIN_TOKEN_FILE } from "../people/first-admin.ts";
import { createPrivateFile, diskError, isErrno, makePrivateFolder } from "../private-file.ts";
import { SECRET_FILE } from "../secret.ts";
import { serveAlone } from "../served-remotes.ts";
import { openUnfinishedFolder } from "../unfinished-folder.ts";
import { requireGit } from "./backup.ts";
import { readBackup } from "./backup-file.ts";
import { BASE_REF, openFolder } from "./open-folder.ts";

/**
 * Built in a folder beside the target and renamed onto it, so that a kill never leaves half a data folder to be served.
 */
export const restore: Command = async ({ values, positionals }, io) => {
  const config = readConfig(values);
  const { dataFolder } = config;
  await assertEmpty(dataFolder);
  const binary = requireGit(await findGitBinary(config.gitPath ?? undefined));
  await makePrivateFolder(dirname(dataFolder));
  const unfinished = await openUnfinishedFolder(dataFolder);
  try {
    const finished = join(unfinished.path, "data");
    await fill(finished, resolve(positionals[0] ?? ""), binary);
    await openFolder({ ...config, dataFolder: finished, secret: null, ...serveAlone(null) });
    await place(finished, dataFolder);
  } finally {
    await unfinished.remove();
  }
  io.result({ dataFolder }, [`Restored ${dataFolder}; start it with serve --data ${dataFolder}`]);
  return EXIT.ok;
};

/** @throws TeamMemoryError target_exists, disk */
async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    if (isErrno(error, "ENOTDIR")) throw inTheWay(folder, "it is no folder");
    throw diskError("read", folder, error);
  });
  if (names.length > 0) throw inTheWay(folder, "it is not empty");
}

/**
 * Of several that restore or start in one folder, one gets it.
 * @throws TeamMemoryError target_exists, disk
 */
async function place(finished: string, folder: string): Promise<void> {
  try {
    await rename(finished, folder);
  } catch (error) {
    if (FILLED.some((code) => isErrno(error, code))) throw inTheWay(folder, "somebody else has filled it meanwhile");
    if (MOUNTED.some((code) => isErrno(error, code))) throw inTheWay(folder, "another disk is mounted there");
    throw diskError("create", folder, error);
  }
}

const FILLED = ["ENOTEMPTY", "EEXIST", "ENOTDIR"];
const MOUNTED = ["EBUSY", "EXDEV"];

function inTheWay(folder: string, why: string): TeamMemoryError {
  return new TeamMemoryError("target_exists", `Could not restore into ${folder}: ${why}`, {
    details: { path: folder },
  });
}

async function fill(folder: string, backupPath: string, binary: GitBinary): Promise<void> {
  await makePrivateFolder(folder);
  const bundle = join(folder, "restore.bundle");
  const head = await readBackup(backupPath, bundle);
  const { gitDir } = await openEmbeddedRepository({ folder, git: binary, baseRef: BASE_REF });
  await fetchAll(binary, gitDir, bundle);
  await rm(bundle);
  await createPrivateFile(join(folder, SECRET_FILE), `${head.secret}\n`);
  if (head.adminToken !== null) await createPrivateFile(join(folder, ADMIN_TOKEN_FILE), `${head.adminToken}\n`);
}

/** @throws TeamMemoryError bad_request when the bundle is cut short or damaged */
async function fetchAll(binary: GitBinary, gitDir: string, bundle: string): Promise<void> {
  const args = ["--git-dir", gitDir, "fetch", "--quiet", "--no-write-fetch-head", bundle, "+refs/*:refs/*"];
  try {
    await runGit(binary, args, { timeoutMs: LIMITS.backupTimeoutMs, allowProtocols: "file" });
  } catch (cause) {
    throw new TeamMemoryError("bad_request", "Could not unpack the backup: its repository is damaged", { cause });
  }
}
