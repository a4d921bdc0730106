import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { commitReadme, createRepository, REPOSITORY_NAME, writeLayout } from "./create-repository.ts";
import { openDiskPort } from "./disk-port.ts";
import type { GitBinary } from "./git-binary.ts";
import { healRepository } from "./heal-repository.ts";
import type { GitPort } from "./port.ts";
import { isMissing, translateGitError } from "./translate-git-error.ts";

interface EmbeddedOptions {
  /** The data folder; created where it is missing. */
  readonly folder: string;
  readonly git: GitBinary | null;
  readonly baseRef: string;
}

export interface EmbeddedRepository extends GitPort {
  readonly gitDir: string;
  /** What a kill or a power cut had left and was put right, one line each, for the log. */
  readonly healed: readonly string[];
}

/**
 * The port on the embedded bare repository: created where it is missing, healed where an earlier process was killed.
 * Several processes may hold it at once, native git among them. Throws `repository_damaged` where the base cannot be
 * read, `disk` and `disk_full` as the disk says.
 */
export async function openEmbeddedRepository(options: EmbeddedOptions): Promise<EmbeddedRepository> {
  try {
    return await open(options);
  } catch (error) {
    throw translateGitError(error, "open the repository");
  }
}

async function open({ folder, git, baseRef }: EmbeddedOptions): Promise<EmbeddedRepository> {
  const gitDir = join(folder, REPOSITORY_NAME);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await exists(join(gitDir, "objects")))) await createRepository(folder, gitDir, baseRef);
  const healed = await healRepository({ folder, gitDir, git, baseRef });
  await writeLayout(gitDir, baseRef);
  const port = await openDiskPort({ gitDir, git, baseRef });
  if ((await port.readRef(baseRef)) === null) await commitReadme(port, baseRef);
  return { ...port, gitDir, healed };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
