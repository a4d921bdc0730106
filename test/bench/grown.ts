/** Services whose repositories have grown for years: written by `git fast-import` in the time that a coffee takes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openProposalsApi } from "../simulation/proposals-api.ts";
import { gitEnvironment } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { type RunningService, startService, UNLIMITED } from "../support/service.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";

export interface Growth {
  readonly commits: number;
  readonly projects: number;
  readonly memoriesPerProject: number;
}

export interface Grown {
  readonly service: RunningService;
  /** The admin's. */
  readonly token: string;
}

/** The history is read for the first time, once. */
const START_TIMEOUT_MS = 30 * 60_000;
const BODY = "Ask the data team before a migration touches the orders table.\n".repeat(8);

/** As it stands in an address. */
export function projectAt(at: number): string {
  return `github.com~acme~project-${at}`;
}

export function keyAt(at: number): string {
  return `project_topic-${at}.md`;
}

/** The first commit writes everything, each one after it edits one memory. All is pulled once: what a start loads is loaded. */
export async function startGrown(growth: Growth, onEnd: OnEnd): Promise<Grown> {
  const data = join(await scratchFolder(onEnd), "data");
  const options = { data, onEnd, args: UNLIMITED, startTimeoutMs: START_TIMEOUT_MS };
  const empty = await startService(options);
  await empty.stop();
  await grow(empty.gitDir, growth);
  const service = await startService(options);
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  for (let at = 0; at < growth.projects; at += 1) await openProposalsApi(service.url, token, projectAt(at)).blobs();
  return { service, token };
}

async function grow(gitDir: string, growth: Growth): Promise<void> {
  const stdio: ["pipe", "ignore", "inherit"] = ["pipe", "ignore", "inherit"];
  const child = spawn("git", ["fast-import", "--quiet"], { cwd: gitDir, env: gitEnvironment(gitDir), stdio });
  const ended = once(child, "close");
  await pipeline(Readable.from(writeCommits(growth)), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

function* writeCommits({ commits, projects, memoriesPerProject }: Growth): Generator<string> {
  for (let commit = 0; commit < commits; commit += 1) {
    const head = `commit refs/heads/main\ncommitter Ann <ann@example.org> ${1_700_000_000 + commit} +0000\n`;
    yield `${head}${toData(`Edit ${commit}`)}${commit === 0 ? "from refs/heads/main^0\n" : ""}`;
    if (commit > 0) yield writeMemory(commit % projects, commit % memoriesPerProject, commit);
    else
      for (let at = 0; at < projects * memoriesPerProject; at += 1)
        yield writeMemory(at % projects, Math.floor(at / projects), 0);
  }
}

function writeMemory(project: number, at: number, version: number): string {
  const text = memoryText(`topic-${at}`, `Version ${version} in project ${project}.\n${BODY}`);
  const folder = `projects/${projectAt(project).replaceAll("~", "/")}/team`;
  return `M 100644 inline ${folder}/${keyAt(at)}\n${toData(text)}`;
}

function toData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
