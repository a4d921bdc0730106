import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { invite, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROJECT = "github.com/acme/shop";
const FOLDER = `projects/${PROJECT}/team`;
const KEY = "deploys.md";
const BASE = memoryText("Deploys", "From main.\n\nOn Mondays.");
const MINE = BASE.replace("Mondays", "Mondays, and never on Fridays");

describe("the team removes a memory of which there is an unsent edit here (case 5, by the real service)", () => {
  let rita: ReviewClone;
  let ana: Home;

  beforeEach(async () => {
    const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
    const { token } = await joinByApi(service, "reviewer");
    rita = await cloneMemory(service.url, token, onTestFinished);
    await pushMemories(rita, PROJECT, { [KEY]: BASE, "other.md": memoryText("Other") });
    ana = await makeHome({ onEnd: onTestFinished });
    expect(await ana.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
    await writeMemory(ana, KEY, MINE);
  });

  it("keeps and shows the edit, takes the rest, is not stuck, and proposes it again only where that is asked for", async () => {
    await rita.git("rm", "-q", `${FOLDER}/${KEY}`);
    await pushMemories(rita, PROJECT, { "news.md": memoryText("News") });
    for (const _ of ["the first time", "and again"]) {
      await ana.client("sync");
      expect(await readHere(KEY)).toBe(MINE);
      expect(await readHere("news.md")).toBe(memoryText("News"));
      expect((await ana.client("status")).stdout).toMatch(/^removed by team +deploys\.md/m);
      expect(await proposedKeys()).toEqual([]);
    }
    expect(await ana.client("push", KEY)).toMatchObject({ code: 0 });
    expect(await proposedKeys()).toEqual([KEY]);
  });

  it("has the new name beside the edit where the team has renamed it", async () => {
    await rita.git("mv", `${FOLDER}/${KEY}`, `${FOLDER}/releases.md`);
    await pushMemories(rita, PROJECT, { "news.md": memoryText("News") });
    await ana.client("sync");
    await ana.client("sync");
    expect(await readHere("releases.md")).toBe(BASE);
    expect(await readHere("news.md")).toBe(memoryText("News"));
    expect(await readHere(KEY)).toBe(MINE);
    expect(await proposedKeys()).toEqual([]);
  });

  it("removes it for whoever has not touched it", async () => {
    await writeMemory(ana, KEY, BASE);
    await rita.git("rm", "-q", `${FOLDER}/${KEY}`);
    await pushMemories(rita, PROJECT, { "news.md": memoryText("News") });
    expect(await ana.client("sync")).toMatchObject({ code: 0 });
    expect(existsSync(join(ana.teamDir, KEY))).toBe(false);
  });

  function readHere(key: string): Promise<string> {
    return readFile(join(ana.teamDir, key), "utf8");
  }

  /** What open proposals would change on the base. */
  async function proposedKeys(): Promise<string[]> {
    await rita.git("fetch", "-q", "--prune");
    const branches = await rita.git("branch", "-r", "--list", "origin/team-memory/*", "--no-merged", "origin/main");
    const names = branches.split("\n").map((line) => line.trim());
    const changed = names.filter((name) => name !== "").map((name) => changedBy(name));
    return (await Promise.all(changed)).flat();
  }

  async function changedBy(branch: string): Promise<string[]> {
    const paths = await rita.git("diff", "--name-only", `origin/main...${branch}`);
    return paths.split("\n").map((path) => path.slice(FOLDER.length + 1));
  }
});
