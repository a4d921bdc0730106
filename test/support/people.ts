/** People and repositories of a running service, by the same calls that anyone can make. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { JoinResponse } from "../../shared/protocol/schemas.ts";
import { git, gitEnvironment } from "./git.ts";
import { invite, type RunningService } from "./service.ts";
import { type OnEnd, scratchFolder } from "./teardown.ts";

/** A token of a new person, as `POST /v1/join` hands it out. */
export async function joinByApi(service: RunningService, role: string, name = "Rita Reviewer"): Promise<JoinResponse> {
  const code = new URL(await invite(service, role)).hash.slice(1);
  const body = JSON.stringify({ code, name, email: `${name.toLowerCase().replaceAll(" ", ".")}@example.org` });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${service.url}/v1/join`, { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`join answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as JoinResponse;
}

export interface ReviewClone {
  readonly folder: string;
  git(...args: readonly string[]): Promise<string>;
}

/** A plain `git clone` of the memory repository, the token as the password. */
export async function cloneMemory(url: string, token: string, onEnd: OnEnd): Promise<ReviewClone> {
  const home = await scratchFolder(onEnd);
  const env = gitEnvironment(home, { name: "Rita Reviewer", email: "rita.reviewer@example.org" });
  await git(home, ["clone", "-q", toGitUrl(url, token), "memory"], env);
  const folder = join(home, "memory");
  return { folder, git: (...args) => git(folder, args, env) };
}

export function toGitUrl(url: string, token: string): string {
  const address = new URL(`${url}/git/memory.git`);
  address.username = "git";
  address.password = token;
  return address.href;
}

/** Writes files below a project's folder of the memory repository and pushes them to the base. */
export async function pushMemories(
  clone: ReviewClone,
  project: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [key, text] of Object.entries(files)) {
    const path = join(clone.folder, "projects", project, "team", key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await clone.git("add", "-A");
  await clone.git("commit", "-q", "-m", "Memories");
  await clone.git("push", "-q", "origin", "HEAD:main");
}
