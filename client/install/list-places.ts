import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";
import { projectsFolder } from "../memory/resolve-auto-mem-path.ts";
import { isStateFolderName, toStateFolder } from "../memory/state-folder.ts";
import { type Head, readHead } from "../sync/state/head.ts";

/** One memory directory that has been pulled into, on this machine. */
export interface Place {
  readonly stateFolder: string;
  /** Null where no memory directory in reach has this state: it was moved away, or its clone is gone. */
  readonly memoryDir: string | null;
  /** What was pulled last; null where that cannot be told any more. */
  readonly head: Head | null;
}

/**
 * Every place with state, whatever project it is about. The directories in the host's own folder, and the
 * given ones, are tried for whose state it is.
 */
export function listPlaces(env: ClientEnvironment, memoryDirs: readonly string[]): readonly Place[] {
  const projects = projectsFolder(env);
  const candidates = [...memoryDirs, ...readNames(projects).map((name) => join(projects, name, "memory"))];
  const byState = new Map(candidates.map((memoryDir) => [toStateFolder(env, memoryDir), memoryDir]));
  return readNames(env.stateDir)
    .filter(isStateFolderName)
    .map((name) => join(env.stateDir, name))
    .map((stateFolder) => ({
      stateFolder,
      memoryDir: byState.get(stateFolder) ?? null,
      head: readHeadOrNull(stateFolder),
    }));
}

/** What cannot be read fails where the place is worked on, and keeps none of the others from being listed. */
function readHeadOrNull(stateFolder: string): Head | null {
  try {
    return readHead(stateFolder);
  } catch {
    return null;
  }
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, LIMITS.projectsMax);
  } catch {
    return [];
  }
}
