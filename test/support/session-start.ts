/** Plays the host's part at the start of a session: runs the hooks that its settings name, and reads what they print. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Home, hookInput } from "./home.ts";
import { type RunResult, run } from "./run.ts";

interface HookEntry {
  readonly type: string;
  readonly command: string;
  /** Present: no shell between. */
  readonly args?: readonly string[];
  readonly timeout?: number;
}

export interface SessionStart {
  readonly results: readonly RunResult[];
  /** What the session is told, all entries together. */
  readonly context: string;
}

export async function startSession(home: Home, cwd = home.clone): Promise<SessionStart> {
  const hooks = await readSessionStartHooks(home);
  const results = await Promise.all(hooks.map((hook) => runHook(home, hook, cwd)));
  return { results, context: results.map(readContext).join("\n") };
}

/** The session-start entries of the user's own settings; none where there is no such file. */
export async function readSessionStartHooks(home: Home): Promise<HookEntry[]> {
  const text = await readFile(join(home.folder, ".claude/settings.json"), "utf8").catch(() => "{}");
  const settings = JSON.parse(text) as { hooks?: { SessionStart?: { hooks: HookEntry[] }[] } };
  return (settings.hooks?.SessionStart ?? []).flatMap(({ hooks }) => hooks);
}

function runHook(home: Home, { command, args }: HookEntry, cwd: string): Promise<RunResult> {
  const options = { cwd, env: home.env, input: hookInput(cwd) };
  return args === undefined ? run("sh", ["-c", command], options) : run(command, args, options);
}

/** The host's own reading: JSON where it starts with a brace, else the text itself. */
function readContext({ stdout }: RunResult): string {
  if (!stdout.startsWith("{")) return stdout;
  const answer = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } };
  return answer.hookSpecificOutput?.additionalContext ?? "";
}
