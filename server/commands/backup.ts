import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Command } from "../command.ts";
import { type Config, readConfig } from "../config.ts";
import { type GitBinary, runGit } from "../git/git-binary.ts";
import { readVersion } from "../package-files.ts";
import { ADMIN_TOKEN_FILE } from "../people/first-admin.ts";
import { readFileIfThere } from "../private-file.ts";
import { openUnfinishedFolder } from "../unfinished-folder.ts";
import { assertPlaceFor, placeBackup, writeBackup } from "./backup-file.ts";
import { assertDataFolder, openFolder } from "./open-folder.ts";

/** Works beside a running service: git lists the references once, and what they lead to is never changed. */
export const backup: Command = async ({ values, positionals }, io) => {
  const path = resolve(positionals[0] ?? "");
  const mayReplace = values["force"] === true;
  const config = readConfig(values);
  await assertPlaceFor(path, mayReplace);
  await assertDataFolder(config);
  const unfinished = await openUnfinishedFolder(path);
  try {
    await placeBackup(await fill(unfinished.path, config), path, mayReplace);
  } finally {
    await unfinished.remove();
  }
  const sizeBytes = (await stat(path)).size;
  io.result({ path, sizeBytes }, [
    `Wrote ${path} (${sizeBytes} bytes). It holds the secret: keep it as you keep a key`,
  ]);
  return EXIT.ok;
};

/** Path of the whole backup in the folder. */
async function fill(folder: string, config: Config): Promise<string> {
  const { git, gitBinary, secret, clock } = await openFolder(config);
  const [bundle, finished] = [join(folder, "bundle"), join(folder, "backup")];
  await bundleAll(requireGit(gitBinary), git.gitDir, bundle);
  const adminToken = (await readFileIfThere(join(config.dataFolder, ADMIN_TOKEN_FILE)))?.trim() ?? null;
  const head = { teamMemoryBackup: 1 as const, createdAt: clock().toISOString(), version: await readVersion() };
  await writeBackup(finished, { ...head, secret, adminToken }, bundle);
  return finished;
}

async function bundleAll(binary: GitBinary, gitDir: string, path: string): Promise<void> {
  await runGit(binary, ["--git-dir", gitDir, "bundle", "create", "--quiet", path, "--all"], {
    timeoutMs: LIMITS.backupTimeoutMs,
  });
}

/** @throws TeamMemoryError git_required */
export function requireGit(binary: GitBinary | null): GitBinary {
  if (binary !== null) return binary;
  throw new TeamMemoryError("git_required", "Could not pack or unpack the repository: this machine has no git");
}
