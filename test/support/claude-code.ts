/** The real Claude Code client, installed once a machine into a scratch folder and driven without a network. */
import { access, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Home } from "./home.ts";
import type { MessagesApi } from "./messages-api.ts";
import { type RunResult, run } from "./run.ts";

/** What these tests were written against; another version only where the registry no longer has this one. */
const VERSIONS = ["2.1.197", "latest"];
const INSTALL_TIMEOUT_MS = 150_000;
const TURN_TIMEOUT_MS = 60_000;

export type ClaudeCode = { readonly path: string } | { readonly missing: string };

/** The path of its command, or why it cannot be had here. */
export async function installClaudeCode(): Promise<ClaudeCode> {
  let missing = "";
  for (const version of VERSIONS) {
    const folder = join(tmpdir(), `team-memory-claude-code-${version}`);
    const path = join(folder, "node_modules/.bin/claude");
    if (await exists(path)) return { path };
    const failure = await install(version, folder);
    if (failure === null) return { path };
    missing = failure;
  }
  return { missing };
}

/** One turn of `claude -p` in a developer's clone, its model replaced by the stand-in. */
export function runTurn(claude: { path: string }, home: Home, api: MessagesApi, prompt = "hello"): Promise<RunResult> {
  const env = {
    ...home.env,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "sk-ant-stand-in",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  return run(claude.path, ["-p", prompt], { cwd: home.clone, env, timeoutMs: TURN_TIMEOUT_MS });
}

/** Into a folder beside the target, then renamed: a killed or parallel install leaves no half of one. */
async function install(version: string, folder: string): Promise<string | null> {
  const staging = await mkdtemp(join(tmpdir(), "team-memory-claude-code-install-"));
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", staging];
  const options = { cwd: staging, env: process.env as Record<string, string>, timeoutMs: INSTALL_TIMEOUT_MS };
  const result = await run("npm", [...args, `@anthropic-ai/claude-code@${version}`], options);
  if (result.code === 0) await rename(staging, folder).catch(() => {});
  await rm(staging, { recursive: true, force: true });
  if (await exists(join(folder, "node_modules/.bin/claude"))) return null;
  return `@anthropic-ai/claude-code@${version} cannot be installed: ${result.stderr.trim().split("\n")[0] ?? ""}`;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
