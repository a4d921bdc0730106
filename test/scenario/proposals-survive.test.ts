import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { invite, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROJECT = "github.com/acme/shop";
const KEY = "feedback_testing.md";
const BASE = memoryText("Real databases in tests", "One.\n\nTwo.\n\nThree.");
const MINE = BASE.replace("One.", "One, as I know it.");

describe("a proposal", () => {
  let ana: Home;
  let rita: ReviewClone;

  beforeEach(async () => {
    const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
    const { token } = await joinByApi(service, "reviewer");
    rita = await cloneMemory(service.url, token, onTestFinished);
    await pushMemories(rita, PROJECT, { [KEY]: BASE });
    ana = await makeHome({ onEnd: onTestFinished });
    expect(await ana.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
    await writeMemory(ana, KEY, MINE);
    expect(await ana.client("sync")).toMatchObject({ code: 0 });
  });

  it("squash-merged with edits while its author edits on: merged from what was proposed, and only that is new", async () => {
    const first = await openBranch();
    await rita.git("merge", "-q", "--squash", first);
    await rita.git("commit", "-q", "-m", "Agreed");
    await writeFile(fileOf(KEY), MINE.replace("Three.", "Three, as the reviewer knows it."));
    await rita.git("commit", "-q", "-a", "-m", "With a touch");
    await rita.git("push", "-q", "origin", "HEAD:main");
    await writeMemory(ana, KEY, MINE.replace("Two.", "Two, as I found out."));
    const synced = await ana.client("sync");
    expect(synced.stdout).toMatch(/Your proposal \w+ was merged/);
    const both = MINE.replace("Three.", "Three, as the reviewer knows it.").replace("Two.", "Two, as I found out.");
    expect(await readFile(join(ana.teamDir, KEY), "utf8")).toBe(both);
    const second = await openBranch();
    expect(second).not.toBe(first);
    expect(await rita.git("diff", "--name-only", `origin/main...${second}`)).toBe(`projects/${PROJECT}/team/${KEY}`);
    expect(await rita.git("show", `${second}:projects/${PROJECT}/team/${KEY}`)).toBe(both.trimEnd());
  });

  it("whose branch a reviewer deletes: kept and marked, not reopened, and a new edit goes on a new branch", async () => {
    const first = await openBranch();
    await rita.git("push", "-q", "origin", "--delete", first.replace("origin/", ""));
    await ana.client("sync");
    const status = await ana.client("status", "--json");
    expect(filesOf(status.stdout)).toMatchObject([{ key: KEY, state: "rejected" }]);
    await ana.client("sync");
    expect(await openBranch()).toBe("");
    await writeMemory(ana, KEY, MINE.replace("One", "First"));
    await ana.client("sync");
    const second = await openBranch();
    expect(second).not.toBe("");
    expect(second).not.toBe(first);
  });

  it("in conflict with what a teammate merged: both kept, decided by its author, and proposed as decided", async () => {
    await pushMemories(rita, PROJECT, { [KEY]: BASE.replace("One.", "One, as they know it.") });
    const synced = await ana.client("sync");
    expect(synced).toMatchObject({ code: 5 });
    expect(await readFile(join(ana.teamDir, KEY), "utf8")).toContain("as they know it");
    expect((await ana.client("conflicts", "show", KEY)).stdout).toContain("as I know it");
    expect(await ana.client("conflicts", "resolve", KEY, "--both")).toMatchObject({ code: 0 });
    expect(await ana.client("sync")).toMatchObject({ code: 0 });
    const proposed = await rita.git("show", `${await openBranch()}:projects/${PROJECT}/team/${KEY}`);
    expect(proposed).toContain("One, as they know it.\nOne, as I know it.");
    expect(proposed).not.toMatch(/^(<<<<<<<|=======|>>>>>>>)/m);
  });

  it("beside a file that nobody is handed: status names it with its reason, and everything else is synced", async () => {
    await pushMemories(rita, PROJECT, { "aux.md": memoryText("Device"), "b.md": memoryText("B") });
    await ana.client("sync");
    const status = await ana.client("status");
    expect(status.stdout).toMatch(/^in quarantine .*aux\.md \(.+; .+\)$/m);
    expect(status.stdout).toMatch(/^in sync +b\.md$/m);
    expect(status.stdout).toMatch(/^proposed .*feedback_testing\.md \(sent .+ ago; http/m);
  });

  /** The remote branch of a proposal that is not on the base; empty: there is none. */
  async function openBranch(): Promise<string> {
    await rita.git("fetch", "-q", "--prune");
    const branches = await rita.git("branch", "-r", "--list", "origin/team-memory/*", "--no-merged", "origin/main");
    return branches.trim().split("\n")[0]?.trim() ?? "";
  }

  function fileOf(key: string): string {
    return join(rita.folder, "projects", PROJECT, "team", key);
  }
});

function filesOf(json: string): unknown {
  return (JSON.parse(json) as { files: unknown }).files;
}
