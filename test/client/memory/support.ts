import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ClientEnvironment, toClientEnvironment, type Variables } from "../../../client/config.ts";
import { git } from "../../support/git.ts";

export interface Machine {
  readonly home: string;
  readonly env: ClientEnvironment;
}

/** The environment of a user in a home of their own; an administrator's folder that a test may fill. */
export function machineAt(folder: string, variables: Variables = {}): Machine {
  const home = join(folder, "home");
  const env = toClientEnvironment(variables, { platform: "linux", home });
  return { home, env: { ...env, claude: { ...env.claude, managedDir: join(folder, "managed") } } };
}

/** Writes each file; objects as JSON. */
export async function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** A repository with one commit that holds the files. */
export async function makeRepository(folder: string, files: Readonly<Record<string, unknown>> = {}): Promise<string> {
  await writeFiles(folder, { "README.md": "# Shop\n", ...files });
  await git(folder, ["init", "-q"]);
  await git(folder, ["add", "--force", "."]);
  await git(folder, ["commit", "-q", "-m", "Shop"]);
  return folder;
}
