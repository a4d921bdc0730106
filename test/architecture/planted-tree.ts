import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type RunResult, run } from "../support/run.ts";
import { scratchFolder, withTeardown } from "../support/teardown.ts";
import { ROOT } from "./source-tree.ts";

const SETTINGS = [
  "biome.json",
  ".gitignore",
  "package.json",
  "tsconfig.base.json",
  "shared/tsconfig.json",
  "server/tsconfig.json",
  "client/tsconfig.json",
];

/** A tool of the house, with the house's own settings, over planted sources: path to text. */
export function runOverPlanted(
  tool: string,
  args: readonly string[],
  sources: Readonly<Record<string, string>>,
): Promise<RunResult> {
  return withTeardown(async (onEnd) => {
    const folder = await scratchFolder(onEnd);
    await plant(folder, sources);
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
    return run(join(ROOT, "node_modules/.bin", tool), args, { cwd: folder, env });
  });
}

async function plant(folder: string, sources: Readonly<Record<string, string>>): Promise<void> {
  for (const path of [...Object.keys(sources), ...SETTINGS])
    await mkdir(dirname(join(folder, path)), { recursive: true });
  for (const [path, source] of Object.entries(sources)) await writeFile(join(folder, path), source);
  for (const file of SETTINGS) await copyFile(join(ROOT, file), join(folder, file));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
}
