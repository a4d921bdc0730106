import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDelayProxy } from "../bench/delay-proxy.ts";
import { startCountingProxy } from "../support/counting-proxy.ts";
import { type Home, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories } from "../support/people.ts";
import type { RunResult } from "../support/run.ts";
import { invite, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findLeftovers, readTeamFiles } from "./team-files.ts";

const PULLS = 20;
const PROJECT = "github.com/acme/shop";
/** The first answer takes two: by then the last of the pulls has begun, on a busy machine as well. */
const ROUND_TRIP_MS = 1_500;

describe(`${PULLS} pulls at once`, () => {
  it("into one folder ask the service twice at most, and leave one whole copy", async () => {
    const { service, merge } = await openTeam();
    const counted = await startCountingProxy(service.url, onTestFinished);
    const far = await startDelayProxy(counted.url, ROUND_TRIP_MS, onTestFinished);
    const home = await makeHome({ onEnd: onTestFinished });
    const link = (await invite(service, "contributor")).replace(service.url, far);
    expect(await home.client("join", link)).toMatchObject({ code: 0 });
    const texts = await merge("second", 40);
    counted.asked.length = 0;
    expect(codesOf(await Promise.all(Array.from({ length: PULLS }, () => home.client("pull"))))).toEqual([0]);
    // One that began before the others, and one that answers all of them.
    expect(counted.asked.length).toBeLessThanOrEqual(2);
    expect(await readTeamFiles(home)).toEqual(new Map([["MEMORY.md", expect.stringContaining("second")], ...texts]));
    expect(await findLeftovers(home)).toEqual([]);
  });

  it("into as many homes give each the same files, the first time and the next", async () => {
    const { service, merge } = await openTeam();
    const homes = await makeHomes(await invite(service, "contributor"));
    for (const round of ["first", "second"]) {
      const texts = await merge(round, 20);
      expect(codesOf(await Promise.all(homes.map((home) => home.client("pull"))))).toEqual([0]);
      const expected = new Map([["MEMORY.md", expect.stringContaining(round)], ...texts]);
      const copies = await Promise.all(homes.map(readTeamFiles));
      for (const copy of copies) expect(copy).toEqual(expected);
      expect(new Set(copies.map((copy) => copy.get("MEMORY.md"))).size).toBe(1);
      expect((await Promise.all(homes.map(findLeftovers))).flat()).toEqual([]);
    }
  });
});

function codesOf(results: readonly RunResult[]): readonly (number | null)[] {
  return [...new Set(results.map(({ code }) => code))];
}

async function openTeam() {
  const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
  const { token } = await joinByApi(service, "reviewer");
  const rita = await cloneMemory(service.url, token, onTestFinished);
  const all = new Map<string, string>();
  /** Merges so many more memories; all that the team has by then, sorted by key. */
  const merge = async (round: string, count: number): Promise<readonly (readonly [string, string])[]> => {
    const keys = Array.from({ length: count }, (_, at) => `${round}/project_${String(at).padStart(2, "0")}.md`);
    const added = keys.map((key) => [key, memoryText(`About ${round}`, `${key}\n`.repeat(200))] as const);
    await pushMemories(rita, PROJECT, Object.fromEntries(added));
    for (const [key, text] of added) all.set(key, text);
    return [...all];
  };
  await merge("zeroth", 5);
  return { service, merge };
}

/** Joined once, by one person; the other machines have a copy of their settings, as dotfiles are shared. */
async function makeHomes(link: string): Promise<readonly Home[]> {
  const homes: Home[] = [];
  for (let count = 0; count < PULLS; count += 1) homes.push(await makeHome({ onEnd: onTestFinished }));
  const [first, ...others] = homes;
  if (first === undefined) throw new TypeError("no home");
  expect(await first.client("join", link)).toMatchObject({ code: 0 });
  const config = ".config/team-memory";
  for (const { folder } of others) await cp(join(first.folder, config), join(folder, config), { recursive: true });
  return homes;
}
