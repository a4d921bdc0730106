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
import type { ServedRemote } from "../served-remotes.ts";
import { openUnfinishedFolder } from "../unfinished-folder.ts";
import { assertPlaceFor, placeBackup, writeBackup } from "./backup-file.ts";
import { assertDataFolder, openFolder, openRepository } from "./open-folder.ts";

/**
 * Works beside a running service: git lists the references once, and what they lead to is never changed. Of each further
 * remote there is a file of its own, which is as whole a backup: none is left out without a word.
 */
export const backup: Command = async ({ values, positionals }, io) => {
  const path = resolve(positionals[0] ?? "");
  const mayReplace = values["force"] === true;
  const config = readConfig(values);
  const parts = planParts(path, config);
  for (const part of parts) await assertPlaceFor(part.path, mayReplace);
  await assertDataFolder(config);
  const unfinished = await openUnfinishedFolder(path);
  try {
    const finished = await fillAll(unfinished.path, config, parts);
    for (const part of parts) await placeBackup(finished.get(part) ?? "", part.path, mayReplace);
  } finally {
    await unfinished.remove();
  }
  const files = await Promise.all(
    parts.map(async (part) => ({ path: part.path, sizeBytes: (await stat(part.path)).size })),
  );
  io.result({ ...files[0], files }, files.map(toLine));
  return EXIT.ok;
};

function toLine({ path, sizeBytes }: { readonly path: string; readonly sizeBytes: number }): string {
  return `Wrote ${path} (${sizeBytes} bytes). It holds the secret: keep it as you keep a key`;
}

interface Part {
  readonly served: ServedRemote;
  readonly path: string;
}

/** What people are kept on first, in the file that was named. */
function planParts(path: string, { remotes, people }: Config): readonly Part[] {
  const others = remotes.filter((served) => served !== people);
  return [{ served: people, path }, ...others.map((served) => ({ served, path: `${path}.${served.name}` }))];
}

/** Paths of the whole backups in the folder, by part. */
async function fillAll(folder: string, config: Config, parts: readonly Part[]): Promise<ReadonlyMap<Part, string>> {
  const opened = await openFolder(config);
  const adminToken = (await readFileIfThere(join(config.dataFolder, ADMIN_TOKEN_FILE)))?.trim() ?? null;
  const createdAt = opened.clock().toISOString();
  const head = {
    teamMemoryBackup: 1 as const,
    createdAt,
    version: await readVersion(),
    secret: opened.secret,
    adminToken,
  };
  const filled = new Map<Part, string>();
  for (const [index, part] of parts.entries()) {
    const { git, gitBinary } =
      part.served === config.people ? opened : await openRepository(config, part.served, undefined, opened);
    const [bundle, finished] = [join(folder, `bundle-${index}`), join(folder, `backup-${index}`)];
    await bundleAll(requireGit(gitBinary), git.gitDir, bundle);
    await writeBackup(finished, head, bundle);
    filled.set(part, finished);
  }
  return filled;
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
