import { mustRun } from "./run.ts";

export interface GitPerson {
  readonly name: string;
  readonly email: string;
}

const TESTER: GitPerson = { name: "Test Person", email: "test@example.org" };

/** No upkeep in the background: it would race with the checks of a test and outlive its folders. */
const QUIET_CONFIG = {
  "gc.auto": "0",
  "maintenance.auto": "false",
  "init.defaultBranch": "main",
  "advice.detachedHead": "false",
  "protocol.file.allow": "always",
};

/** The environment of git for one person in a throwaway home, deaf to the configuration of this machine. */
export function gitEnvironment(home: string, person: GitPerson = TESTER): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
    ...configVariables(Object.entries(QUIET_CONFIG)),
  };
}

/** Real git in `folder`: standard output without its final newline; throws with the whole output on failure. */
export async function git(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = gitEnvironment(folder),
): Promise<string> {
  const { stdout } = await mustRun("git", args, { cwd: folder, env });
  return stdout.trimEnd();
}

/** Throws unless every object is sound and every reference leads somewhere. */
export async function assertSound(gitDir: string): Promise<void> {
  await git(gitDir, ["--git-dir", gitDir, "fsck", "--full", "--strict", "--no-dangling"]);
}

function configVariables(entries: readonly (readonly [string, string])[]): Record<string, string> {
  const variables = entries.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(variables) };
}
