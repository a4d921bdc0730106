/**
 * Another process swaps the parent, the file or the team directory itself for a link, thousands of times a second, while we
 * check and write. Nothing may land outside; that some writes succeed and some are refused shows that both sides ran.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { Pin } from "../../../shared/path/pin.ts";
import { validateTeamMemoryPathSync } from "../../../shared/path/team-path.ts";
import { type OpenOptions, openTeamFolder } from "../../../shared/path/write-in-team.ts";
import { buildWorld } from "./support.ts";

const SWAPPER = fileURLToPath(new URL("./swapper.mjs", import.meta.url));

describe.each([
  { by: "descriptor", durationMs: 4_000 },
  { by: "working-directory", durationMs: 3_000 },
] as const)("writing by $by for a few seconds", ({ by, durationMs }) => {
  it("lands nothing outside while the parent folder is swapped for a link", async () => {
    const { team, outside } = await buildWorld();
    await mkdir(join(team, "d"));
    const stop = await swap(join(team, "d"), join(team, "parked"), outside);
    const count = repeat(durationMs, (round) => writeNew(team, `d/f${round}.md`, { by }));
    await stop();
    expect(readdirSync(outside)).toEqual(["folder", "secret.md"]);
    expect(count.done).toBeGreaterThan(0);
    expect(count.refused).toBeGreaterThan(0);
    const real = readdirSync(team).find((name) => lstatSync(join(team, name)).isDirectory()) ?? "gone";
    expect(readdirSync(join(team, real)).filter((name) => name.endsWith(".md"))).toHaveLength(count.done);
  });

  it("lands nothing outside while the team directory itself is swapped for a link", async () => {
    const { root, team, outside } = await buildWorld();
    await mkdir(join(outside, "d"));
    await mkdir(join(team, "d"));
    await swap(team, join(root, "parked"), outside);
    const count = repeat(durationMs / 2, (round) => writeNew(team, `d/f${round}.md`, { by }));
    expect(readdirSync(join(outside, "d"))).toEqual([]);
    expect(count.done).toBeGreaterThan(0);
    expect(count.refused).toBeGreaterThan(0);
  });

  it("follows no link to another team directory once a run has begun", async () => {
    const { root, team } = await buildWorld();
    const other = await buildWorld();
    const { pin } = validateTeamMemoryPathSync(team, "first.md");
    await swap(join(root, "memory"), join(root, "parked"), join(other.root, "memory"));
    const count = repeat(durationMs / 2, (round) => writeNew(team, `f${round}.md`, { by, pin }));
    expect(readdirSync(other.team)).toEqual([]);
    expect(count.done).toBeGreaterThan(0);
    expect(count.refused).toBeGreaterThan(0);
  });
});

describe("reading for a few seconds", () => {
  it("reads nothing outside while the file is swapped for a link", async () => {
    const { team, outside } = await buildWorld();
    await writeFile(join(team, "x.md"), "mine");
    const file = validateTeamMemoryPathSync(team, "x.md");
    await swap(join(team, "x.md"), join(team, "parked.md"), join(outside, "secret.md"));
    const texts = new Set<string>();
    const count = repeat(2_000, () => {
      using folder = openTeamFolder(file, { missing: "make" });
      const read = folder.readRegular("x.md", 1_000);
      if (read) texts.add(Buffer.from(read.bytes).toString());
      return read !== null;
    });
    expect([...texts]).toEqual(["mine"]);
    expect(count.refused).toBeGreaterThan(0);
    expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("a secret");
  });
});

const PATIENCE = 4;

interface WriteOptions {
  readonly by: OpenOptions["by"] & string;
  readonly pin?: Pin;
}

function writeNew(team: string, key: string, { by, pin }: WriteOptions): boolean {
  using folder = openTeamFolder(validateTeamMemoryPathSync(team, key, pin), { missing: "null", by });
  if (folder === null) return false;
  const temp = folder.createTemp(Buffer.from("text"));
  return folder.linkIn(temp, key.slice(key.lastIndexOf("/") + 1));
}

/**
 * Counts how often `act` did its work, and how often the house refused it; any other failure fails the test. Goes on past
 * its time, up to a bound, until both have happened: on a busy machine the swapper may win every round of a second.
 */
function repeat(durationMs: number, act: (round: number) => boolean): { done: number; refused: number } {
  const count = { done: 0, refused: 0 };
  const startedAt = performance.now();
  const isOver = (afterMs: number) => performance.now() - startedAt >= afterMs;
  const isLively = () => count.done > 0 && count.refused > 0;
  for (let round = 0; !(isOver(durationMs) && (isLively() || isOver(durationMs * PATIENCE))); round++) {
    try {
      if (act(round)) count.done++;
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      count.refused++;
    }
  }
  return count;
}

/** Starts the swapper; the answer stops it, and so does the test's end. */
async function swap(path: string, parking: string, target: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [SWAPPER, path, parking, target], { stdio: ["ignore", "pipe", "inherit"] });
  const isGone = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await isGone;
    // It swaps until it is stopped: one that failed before swapped nothing.
    expect(child.signalCode).toBe("SIGKILL");
  };
  onTestFinished(stop);
  await once(child.stdout, "data");
  return stop;
}
