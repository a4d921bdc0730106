import type { GitBinary } from "./git-binary.ts";
export async function healRepository(_: {
  folder: string;
  gitDir: string;
  git: GitBinary | null;
}): Promise<readonly string[]> {
  return [];
}
