import { buildGitPort } from "./build-git-port.ts";
import { openObjectStore } from "./object-store.ts";
import type { GitPort } from "./port.ts";
import { publishOnDisk } from "./publish.ts";
import { readRef, readRefs } from "./read-refs.ts";

/** The port on a bare repository that exists; `baseRef` is the reference that a publication moves first. */
export async function openDiskPort(gitDir: string, baseRef: string): Promise<GitPort> {
  return buildGitPort(await openObjectStore(gitDir), {
    readRef: (ref) => readRef(gitDir, ref),
    readRefs: (prefix) => readRefs(gitDir, prefix),
    publish: (updates) => publishOnDisk({ gitDir, baseRef, updates }),
  });
}
