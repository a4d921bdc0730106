import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it, onTestFinished } from "vitest";
import { openEngines } from "../../../server/commands/open-engines.ts";
import { openFolder } from "../../../server/commands/open-folder.ts";
import { readConfig } from "../../../server/config.ts";
import { openLog } from "../../../server/log.ts";
import { createFirstAdmin } from "../../../server/people/first-admin.ts";
import { buildMetrics } from "../../../server/plugins/metrics.ts";
import type { Engine } from "../../../server/sync/engine.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { git } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { commitOnRemote, type RemoteServer, refOnRemote, startRemote, TOKEN } from "../git/remote/support.ts";
import { BASE } from "../git/support.ts";
import { ANA, RITA, toRequest } from "../sync/support.ts";

const SHOP = parseProjectName("github.com/acme/shop");
const THING = parseProjectName("github.com/other/thing");
const NOBODYS = parseProjectName("gitlab.com/acme/shop");
const TEXT = memoryText("Testing", "how we test", "feedback");

interface Service {
  readonly engine: Engine;
  readonly data: string;
  stop(): Promise<void>;
}

/** Acme's projects on the first remote, all others of GitHub on the second; people on the first. */
async function serveBoth(acme: RemoteServer, other: RemoteServer, data?: string): Promise<Service> {
  const folder = data ?? join(await tempDir(), "data");
  const file = join(await tempDir(), "remotes.yaml");
  const row = (name: string, { url }: RemoteServer, projects: string) => ({
    name,
    url,
    "token-variable": "TOKEN",
    projects: [projects],
  });
  const committer = { name: "Acme memory", email: "memory@acme.example" };
  const remotes = [{ ...row("acme", acme, "github.com/acme/*"), committer }, row("other", other, "github.com/*")];
  await writeFile(file, JSON.stringify({ remotes }));
  const config = readConfig({ data: folder, config: file }, { TOKEN });
  const opened = await openFolder(config);
  await createFirstAdmin(opened.people, folder);
  const log = openLog("silent");
  const { engine } = await openEngines({
    config,
    folder: opened,
    publicUrl: "http://localhost",
    log,
    metrics: buildMetrics(),
  });
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= engine.stop());
  onTestFinished(stop);
  return { engine, data: folder, stop };
}

function goDown(remote: RemoteServer): void {
  remote.before = (request) => {
    request.socket.destroy();
    return true;
  };
}

function comeBack(remote: RemoteServer): void {
  remote.before = () => false;
}

async function propose({ engine }: Service, project: typeof SHOP, key: string): Promise<string> {
  const id = ulid();
  await engine.putProposal(project, id, toRequest({ [key]: TEXT }), ANA);
  return id;
}

async function keysOf({ engine }: Service, project: typeof SHOP): Promise<readonly string[]> {
  return (await engine.memories(project, { proposals: [] })).body.upserts.map(({ key }) => key);
}

describe("openEngines", { timeout: 60_000 }, () => {
  it("takes each project to its own remote, and keeps people on one of them", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    const service = await serveBoth(acme, other);
    const ids = [await propose(service, SHOP, "a.md"), await propose(service, THING, "b.md")];
    const branches = await Promise.all(
      [acme, other].map(({ gitDir }) => git(gitDir, ["branch", "--list", "team-memory/*"])),
    );
    expect(branches.map((list) => list.trim())).toEqual(ids.map((id) => `team-memory/${id}`));
    await service.engine.approve(SHOP, ids[0] ?? "", {}, RITA);
    await service.engine.approve(THING, ids[1] ?? "", {}, RITA);
    expect(await Promise.all([SHOP, THING].map((project) => keysOf(service, project)))).toEqual([["a.md"], ["b.md"]]);
    const committersOf = async ({ gitDir }: RemoteServer) =>
      new Set((await git(gitDir, ["log", "--all", "--format=%cn <%ce>"])).trim().split("\n"));
    expect([...(await committersOf(acme)), ...(await committersOf(other))]).toEqual([
      "Acme memory <memory@acme.example>",
      "team-memory <team-memory@localhost>",
    ]);
    const lists = (await service.engine.listProjects()).map(({ project }) => project);
    expect(lists.sort()).toEqual([SHOP, THING]);
    expect(await service.engine.stats()).toMatchObject({ projects: 2, openProposals: 0, remotesNotOpen: 0 });
    expect(await namesOfState(acme)).toContain("people.json");
    expect(await namesOfState(other)).not.toContain("people.json");
  });

  it("serves of a remote only the projects that are its own, and none that no pattern takes", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(other, BASE, `projects/${SHOP}/team/stray.md`, TEXT);
    await commitOnRemote(acme, BASE, `projects/${SHOP}/team/own.md`, TEXT);
    const service = await serveBoth(acme, other);
    expect(await keysOf(service, SHOP)).toEqual(["own.md"]);
    expect(await service.engine.listProjects()).toMatchObject([{ project: SHOP, memories: 1 }]);
    await expect(service.engine.head(NOBODYS)).rejects.toMatchObject({ code: "not_found" });
  });

  it("accepts what is held on whichever remote it is", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(other, BASE, `projects/${THING}/team/a.md`, TEXT);
    const service = await serveBoth(acme, other);
    await git(other.gitDir, ["update-ref", "-d", BASE]);
    const rewritten = await commitOnRemote(other, BASE, `projects/${THING}/team/b.md`, TEXT);
    await service.engine.refresh();
    expect(await service.engine.base()).toMatchObject({ held: [{ revision: rewritten }] });
    await expect(propose(service, THING, "c.md")).rejects.toMatchObject({ code: "base_held" });
    await propose(service, SHOP, "c.md");
    await service.engine.acceptBase(rewritten, RITA);
    expect(await keysOf(service, THING)).toEqual(["b.md"]);
  });

  it("starts without a remote that is down: its projects are told to try again, the others are served", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    goDown(other);
    const service = await serveBoth(acme, other);
    const failure = {
      code: "remote_unreachable",
      row: { retryable: true },
      message: expect.stringContaining("remote other"),
    };
    await expect(service.engine.head(THING)).rejects.toMatchObject(failure);
    await expect(propose(service, THING, "b.md")).rejects.toMatchObject(failure);
    await propose(service, SHOP, "a.md");
    expect(await service.engine.stats()).toMatchObject({ openProposals: 1, remotesNotOpen: 1 });
    expect(await service.engine.listProjects()).toMatchObject([{ project: SHOP }]);
  });

  it("goes on while a remote is down, reads from it as it was, and writes again once it is back", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(other, BASE, `projects/${THING}/team/a.md`, TEXT);
    const service = await serveBoth(acme, other);
    goDown(other);
    expect(await keysOf(service, THING)).toEqual(["a.md"]);
    await expect(propose(service, THING, "b.md")).rejects.toMatchObject({ code: "remote_unreachable" });
    await propose(service, SHOP, "a.md");
    await service.engine.refresh();
    comeBack(other);
    const id = await propose(service, THING, "b.md");
    expect(await refOnRemote(other, `refs/heads/team-memory/${id}`)).not.toBeNull();
  });

  it("starts with all remotes down once it knows them, and loses nothing of what it served", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(acme, BASE, `projects/${SHOP}/team/a.md`, TEXT);
    await commitOnRemote(other, BASE, `projects/${THING}/team/b.md`, TEXT);
    const first = await serveBoth(acme, other);
    const id = await propose(first, THING, "c.md");
    await first.stop();
    goDown(acme);
    goDown(other);
    const again = await serveBoth(acme, other, first.data);
    expect(await Promise.all([SHOP, THING].map((project) => keysOf(again, project)))).toEqual([["a.md"], ["b.md"]]);
    expect(await again.engine.listProposals(THING)).toMatchObject([{ id }]);
    comeBack(other);
    await again.engine.approve(THING, id, {}, RITA);
    expect(await keysOf(again, THING)).toEqual(["b.md", "c.md"]);
  });

  it("does not start where a remote has no base of that name: waiting would not mend it", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(other, "refs/heads/trunk", "a.md", TEXT);
    await expect(serveBoth(acme, other)).rejects.toMatchObject({ code: "config_invalid" });
  });
});

async function namesOfState({ gitDir }: RemoteServer): Promise<string> {
  const ref = await refOnRemote({ gitDir } as RemoteServer, "refs/team-memory/state");
  return ref === null ? "" : git(gitDir, ["ls-tree", "--name-only", ref]);
}
