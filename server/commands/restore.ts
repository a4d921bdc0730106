import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Command } from "../command.ts";
import { readConfig } from "../config.ts";
import { findGitBinary, type GitBinary, runGit } from "../git/git-binary.ts";
import { openEmbeddedRepository } from "../git/open-embedded.ts";
import { ADMIN_TOKEN_FILE } from "../people/first-admin.ts";
import { createPrivateFile, diskError, isErrno } from "../private-file.ts";
import { SECRET_FILE } from "../secret.ts";
import { requireGit } from "./backup.ts";
import { readBackup } from "./backup-file.ts";
import { BASE_REF, openFolder } from "./open-folder.ts";

/**
 * Built in a folder beside the target and renamed onto it, so that a kill never leaves half a data folder to be served.
 */
export const restore: Command = async ({ values, positionals }, io) => {
  const config = readConfig(values);
  await assertEmpty(config.dataFolder);
  const binary = requireGit(await findGitBinary(config.gitPath ?? undefined));
  const staging = join(
    dirname(config.dataFolder),
    `.${basename(config.dataFolder)}.${randomBytes(8).toString("hex")}.restoring`,
  );
  try {
    await fill(staging, resolve(positionals[0] ?? ""), binary);
    await openFolder({ ...config, dataFolder: staging, secret: null, remote: null });
    await rename(staging, config.dataFolder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  io.result({ dataFolder: config.dataFolder }, [
    `Restored ${config.dataFolder}; start it with serve --data ${config.dataFolder}`,
  ]);
  return EXIT.ok;
};

/** @throws TeamMemoryError usage, disk */
async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return [];
    throw diskError("read", folder, error);
  });
  if (names.length > 0) throw new TeamMemoryError("usage", `Could not restore into ${folder}: it is not empty`);
}

async function fill(folder: string, backupPath: string, binary: GitBinary): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
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
