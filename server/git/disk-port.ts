import { buildGitPort } from "./build-git-port.ts";
import type { GitBinary } from "./git-binary.ts";
import { openObjectStore } from "./object-store.ts";
import type { GitPort } from "./port.ts";
import { publishOnDisk } from "./publish.ts";
import { readRef, readRefs } from "./read-refs.ts";

interface DiskRepository {
  readonly gitDir: string;
  readonly git: GitBinary | null;
  /** The reference that a publication moves first. */
  readonly baseRef: string;
}

/** The port on a bare repository that exists. */
export async function openDiskPort({ gitDir, git, baseRef }: DiskRepository): Promise<GitPort> {
  return buildGitPort(await openObjectStore(gitDir, git), {
    readRef: (ref) => readRef(gitDir, ref),
    readRefs: (prefix) => readRefs(gitDir, prefix),
    publish: (updates) => publishOnDisk({ gitDir, baseRef, updates }),
  });
}
