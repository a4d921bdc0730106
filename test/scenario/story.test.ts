import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LIMITS } from "../../shared/limits.ts";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { startSession } from "../support/session-start.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROJECT = "github.com/acme/shop";
const MEMORY = { "feedback_testing.md": memoryText("Real databases in tests") };

describe("a team", () => {
  let service: RunningService;
  let rita: ReviewClone;

  beforeEach(async () => {
    service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
    const { token } = await joinByApi(service, "reviewer");
    rita = await cloneMemory(service.url, token, onTestFinished);
    await pushMemories(rita, PROJECT, MEMORY);
  });

  it("of two who propose at once gets both memories, each one's from the other", async () => {
    const [ana, ben] = [await joinTeam("Ana"), await joinTeam("Ben")];
    await writeMemory(ana, "project_ana.md", memoryText("Of Ana"));
    await writeMemory(ben, "project_ben.md", memoryText("Of Ben"));
    const synced = await Promise.all([ana.client("sync"), ben.client("sync")]);
    expect(synced.map(({ code }) => code)).toEqual([0, 0]);
    await mergeAll();
    expect((await startSession(ana)).context).toContain("Of Ben");
    expect((await startSession(ben)).context).toContain("Of Ana");
    expect(await readFile(join(ben.teamDir, "MEMORY.md"), "utf8")).toBe(
      await readFile(join(ana.teamDir, "MEMORY.md"), "utf8"),
    );
  });

  it("starts its sessions on the last good copy while the service is down, and is told so", async () => {
    const ben = await joinTeam("Ben");
    await startSession(ben);
    await stopLongEnough();
    const { results, context } = await startSession(ben);
    expect(results.every(({ code, elapsedMs }) => code === 0 && elapsedMs < 2_500)).toBe(true);
    expect(context).toContain("Real databases in tests");
    expect(context).toContain("unreachable");
  });

  it("waits no longer than the cap for a service that hangs", async () => {
    const ben = await joinTeam("Ben");
    await startSession(ben);
    await stopLongEnough();
    await hangAt(Number(new URL(service.url).port));
    const { results, context } = await startSession(ben);
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 0));
    expect(Math.max(...results.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(2_500);
    expect(context).toContain("Real databases in tests");
    expect(context).toContain("timeout");
  });

  it("reads its memories from another worktree of the clone", async () => {
    const ben = await joinTeam("Ben");
    const worktree = join(ben.folder, "worktree");
    await ben.git("worktree", "add", "-q", worktree);
    expect((await startSession(ben, worktree)).context).toContain("Real databases in tests");
  });

  /** A session that begins right after another one takes the answer that the other one got. */
  async function stopLongEnough(): Promise<void> {
    await service.stop();
    await sleep(LIMITS.startedTogetherMs);
  }

  async function joinTeam(name: string): Promise<Home> {
    const person = { name, email: `${name.toLowerCase()}@example.org` };
    const home = await makeHome({ onEnd: onTestFinished, person });
    expect(await home.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
    return home;
  }

  /** What a reviewer does who agrees with everything. */
  async function mergeAll(): Promise<void> {
    await rita.git("fetch", "-q");
    const branches = await rita.git("for-each-ref", "--format=%(refname:short)", "refs/remotes/origin/team-memory/");
    for (const branch of branches.split("\n")) await rita.git("merge", "-q", "--no-ff", "-m", "Agreed", branch);
    await rita.git("push", "-q", "origin", "HEAD:main");
  }
});

/** Takes connections and never answers. */
async function hangAt(port: number): Promise<void> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  expect((server.address() as AddressInfo).port).toBe(port);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}
