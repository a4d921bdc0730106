/** One developer: a throwaway home with a real clone of the team's project, and the client as it is shipped. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type GitPerson, git, gitEnvironment } from "./git.ts";
import { type RunResult, run } from "./run.ts";
import { type OnEnd, scratchFolder } from "./teardown.ts";

export const CLIENT_BUNDLE = fileURLToPath(new URL("../../dist/bundle/team-memory.cjs", import.meta.url));

export interface HomeOptions {
  readonly onEnd: OnEnd;
  readonly person?: GitPerson;
  /** What `origin` of the clone says. */
  readonly origin?: string;
}

export interface Home {
  /** $HOME: config, state, the host's settings and memory all lie below it. */
  readonly folder: string;
  readonly clone: string;
  /** The whole environment of this developer's processes. */
  readonly env: Readonly<Record<string, string>>;
  git(...args: readonly string[]): Promise<string>;
  /** `team-memory …args` in the clone. */
  client(...args: readonly string[]): Promise<RunResult>;
  /** `<memory directory>/team`, where the client and the host look for it. */
  readonly teamDir: string;
}

const DEVELOPER: GitPerson = { name: "Dana Developer", email: "dana@example.org" };

export async function makeHome({
  onEnd,
  person = DEVELOPER,
  origin = "git@github.com:acme/shop.git",
}: HomeOptions): Promise<Home> {
  const folder = await scratchFolder(onEnd);
  const env = { ...gitEnvironment(folder, person), TMPDIR: folder, npm_config_update_notifier: "false" };
  await introduce(folder, person, env);
  const clone = await cloneProject(folder, origin, env);
  const client = (...args: readonly string[]) => run(process.execPath, [CLIENT_BUNDLE, ...args], { cwd: clone, env });
  return {
    folder,
    clone,
    env,
    git: (...args) => git(clone, args, env),
    client,
    teamDir: join(folder, ".claude/projects", clone.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory/team"),
  };
}

/** What the host writes to the standard input of a session-start hook. */
export function hookInput(cwd: string): string {
  const sessionId = "6f1a9c52-7f39-4a52-9a0e-4f6f3ff4f2d1";
  const transcript = { session_id: sessionId, transcript_path: join(cwd, `${sessionId}.jsonl`) };
  return JSON.stringify({ ...transcript, cwd, hook_event_name: "SessionStart", source: "startup" });
}

/** Writes a memory file below `team/`, as an agent does with its file tools. */
export async function writeMemory(home: Home, key: string, text: string): Promise<void> {
  const path = join(home.teamDir, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** As everyone once told git on a new machine who they are. */
async function introduce(folder: string, { name, email }: GitPerson, env: Record<string, string>): Promise<void> {
  await git(folder, ["config", "--global", "user.name", name], env);
  await git(folder, ["config", "--global", "user.email", email], env);
}

/** A real clone of a real repository, whose origin is then said to be elsewhere. */
async function cloneProject(folder: string, origin: string, env: Record<string, string>): Promise<string> {
  const source = join(folder, "source");
  const clone = join(folder, "shop");
  await git(folder, ["init", "-q", source], env);
  await writeFile(join(source, "README.md"), "# Shop\n");
  await git(source, ["add", "."], env);
  await git(source, ["commit", "-q", "-m", "Shop"], env);
  await git(folder, ["clone", "-q", source, clone], env);
  await git(clone, ["remote", "set-url", "origin", origin], env);
  return clone;
}
