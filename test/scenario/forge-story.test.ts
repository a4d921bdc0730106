/** The whole story on each kind of forge: a real service, the real client in two homes, the forge in front of a real git. */
import { createHmac, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ForgeKind } from "../../server/forge/forge.ts";
import { type FakeForge, FORGE_TOKEN, startForge } from "../support/fake-forge/start-forge.ts";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const SECRET = "a-secret-that-signs-all-webhooks-of-the-test";
const FOLDER = "projects/github.com/acme/shop/team";

async function serveForge(forge: FakeForge, args: readonly string[] = []): Promise<RunningService> {
  const tokenFile = join(await tempDir(), "token");
  await writeFile(tokenFile, FORGE_TOKEN);
  const remote = ["--remote", forge.url, "--remote-token-file", tokenFile];
  const secretFile = join(await tempDir(), "webhooks");
  await writeFile(secretFile, SECRET);
  const hooks = ["--webhook-secret-file", secretFile];
  const kind = ["--forge", forge.kind, "--forge-url", forge.apiUrl, ...hooks, ...args];
  return startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished, args: [...remote, ...kind] });
}

async function joined(service: RunningService, name: string, role = "contributor"): Promise<Home> {
  const person = { name: `${name} Example`, email: `${name.toLowerCase()}@example.org` };
  const home = await makeHome({ onEnd: onTestFinished, person });
  expect(await home.client("join", await invite(service, role))).toMatchObject({ code: 0 });
  return home;
}

/** Null: it is not there. */
function readTeam({ teamDir }: Home, key: string): Promise<string | null> {
  return readFile(join(teamDir, key), "utf8").catch(() => null);
}

async function syncedStatus(home: Home): Promise<string> {
  await home.client("sync");
  return (await home.client("status")).stdout;
}

/** As the forge tells of a pull request that was closed. */
async function deliver(service: RunningService, { kind }: FakeForge): Promise<void> {
  const body = JSON.stringify({ action: "closed" });
  const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  const headers = {
    github: { "x-hub-signature-256": signature, "x-github-event": "pull_request", "x-github-delivery": randomUUID() },
    gitea: { "x-hub-signature-256": signature, "x-gitea-event": "pull_request", "x-gitea-delivery": randomUUID() },
    gitlab: { "x-gitlab-token": SECRET, "x-gitlab-event": "Merge Request Hook" },
  }[kind];
  const answer = await fetch(`${service.url}/v1/webhooks/${kind}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  expect(answer.status).toBe(202);
}

async function eventually<T>(look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const seen = await look();
    if (isIt(seen) || attempt > 60) return seen;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

describe.each<ForgeKind>(["github", "gitea", "gitlab"])("on %s", (kind) => {
  it("a memory is proposed, reviewed with an edit in the browser, merged, and in the other's folder", async () => {
    const forge = await startForge(kind, onTestFinished);
    const service = await serveForge(forge, ["--forge-reviewers", "rita"]);
    const [ann, bob] = [await joined(service, "Ann"), await joined(service, "Bob")];
    await writeMemory(ann, "feedback_testing.md", memoryText("Testing", "We test with real processes."));
    await writeMemory(ann, "project_bad.md", memoryText("Bad", "Not what we do."));
    const pushed = await ann.client("push");
    expect(pushed).toMatchObject({ code: 0 });
    const request = forge.all[0];
    if (request === undefined) throw new Error("no pull request");
    expect(pushed.stdout).toContain(`${forge.pageUrl}/`);
    await eventually(
      async () => request.labels,
      (labels) => labels.length > 0,
    );
    expect(request).toMatchObject({ base: "main", state: "open", labels: ["team-memory"] });
    expect(request.reviewers).toHaveLength(1);
    expect(request.body).toContain("`feedback_testing.md`");
    expect(request.body).not.toContain("We test with real processes.");

    const path = `${FOLDER}/feedback_testing.md`;
    await forge.commitFiles(
      request.branch,
      { [path]: memoryText("Testing", "Real processes and real git.") },
      "Clearer",
    );
    await forge.commitFiles(request.branch, { [`${FOLDER}/project_bad.md`]: null }, "Not this one");
    await forge.mergeInBrowser(request, { deletesBranch: true });
    const pulled = await eventually(
      async () => {
        await bob.client("pull");
        return readTeam(bob, "feedback_testing.md");
      },
      (text) => text !== null,
    );
    expect(pulled).toContain("Real processes and real git.");
    expect(await readTeam(bob, "project_bad.md")).toBeNull();
    const status = await eventually(
      () => syncedStatus(ann),
      (text) => text.includes("rejected"),
    );
    expect(status).toMatch(/project_bad\.md.*rejected|rejected[\s\S]*project_bad\.md/);
    expect(await readTeam(ann, "feedback_testing.md")).toContain("Real processes and real git.");
    expect(forge.all).toHaveLength(1);
    expect(service.output()).not.toContain(FORGE_TOKEN);
  });
});

it("on gitea, one that is closed in the browser is told to its author with the reviewer's word, and not opened again", async () => {
  const forge = await startForge("gitea", onTestFinished);
  const service = await serveForge(forge);
  const ann = await joined(service, "Ann");
  await writeMemory(ann, "project_plan.md", memoryText("Plan", "A plan of mine."));
  expect(await ann.client("push")).toMatchObject({ code: 0 });
  const request = forge.all[0];
  if (request === undefined) throw new Error("no pull request");
  forge.closeInBrowser(request, "We decided against this in May.");
  await deliver(service, forge);
  const status = await eventually(
    () => syncedStatus(ann),
    (text) => text.includes("against this"),
  );
  expect(status).toContain("We decided against this in May.");
  await ann.client("sync");
  expect(forge.all).toHaveLength(1);
  expect(await forge.headOf(request.branch)).toBeNull();
});

it("on gitlab, is merged by the forge itself when a reviewer approves it here", async () => {
  const forge = await startForge("gitlab", onTestFinished);
  forge.mergeDelayMs = 1_000;
  const service = await serveForge(forge);
  const [ann, rita] = [await joined(service, "Ann"), await joined(service, "Rita", "reviewer")];
  await writeMemory(ann, "project_plan.md", memoryText("Plan", "Ship in June."));
  expect(await ann.client("push")).toMatchObject({ code: 0 });
  const id = forge.all[0]?.branch.split("/")[1] ?? "";
  expect(await rita.client("review", "approve", id)).toMatchObject({ code: 0 });
  expect(forge.all[0]).toMatchObject({ state: "merged" });
  await rita.client("pull");
  expect(await readTeam(rita, "project_plan.md")).toContain("Ship in June.");
});
