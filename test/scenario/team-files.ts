/** What lies on a developer's disk once their runs have ended. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "../support/home.ts";

/** Texts below `team/` by path, the index among them. */
export async function readTeamFiles({ teamDir }: Home): Promise<ReadonlyMap<string, string>> {
  const paths = (await listBelow(teamDir)).filter((path) => !isStaged(path)).sort();
  const texts = await Promise.all(paths.map((path) => readFile(join(teamDir, path), "utf8")));
  return new Map(paths.map((path, at) => [path, texts[at] ?? ""]));
}

/** Staged files, journals, locks: what only a run under way may have. */
export async function findLeftovers({ folder, teamDir }: Home): Promise<readonly string[]> {
  const states = (await listBelow(join(folder, ".local/state"))).filter((path) =>
    /(?:^|\/)(?:journal\.json|lock[^/]*|[^/]*\.tmp)$/.test(path),
  );
  return [...states, ...(await listBelow(teamDir)).filter(isStaged)];
}

function isStaged(path: string): boolean {
  return /(?:^|\/)\.tm-[^/]*$/.test(path);
}

async function listBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
