import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readMarks } from "../../../client/sync/state/marks-file.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type Desk, deskWith } from "./support.ts";

/** How many more steps on the disk this process lives for; once it is dead, nothing it does reaches the disk. */
const life = vi.hoisted(() => ({ stepsLeft: Number.POSITIVE_INFINITY }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const step = <Args extends unknown[], Result>(act: (...args: Args) => Result, torn?: (...args: Args) => void) =>
    ((...args: Args) => {
      if (life.stepsLeft <= 0) {
        if (life.stepsLeft === 0) torn?.(...args);
        life.stepsLeft = -1;
        throw Object.assign(new Error("killed"), { code: "EKILLED" });
      }
      life.stepsLeft -= 1;
      return act(...args);
    }) as typeof act;
  const half = (file: number, bytes: Uint8Array) => fs.writeSync(file, bytes, 0, bytes.length >> 1);
  return {
    ...fs,
    openSync: step(fs.openSync),
    writeSync: step(fs.writeSync as (file: number, bytes: Uint8Array) => number, half),
    writeFileSync: step(fs.writeFileSync),
    renameSync: step(fs.renameSync),
    linkSync: step(fs.linkSync),
    unlinkSync: step(fs.unlinkSync),
    rmSync: step(fs.rmSync),
    mkdirSync: step(fs.mkdirSync),
    fsyncSync: step(fs.fsyncSync),
    utimesSync: step(fs.utimesSync),
  };
});

const OLD = { "changed.md": memoryText("A", "Old."), "gone.md": memoryText("Gone"), "sub/b.md": memoryText("B") };
const NEW = { "changed.md": memoryText("A", "New."), "new/n.md": memoryText("N"), "sub/b.md": memoryText("B") };

describe("SIGKILL at every step of a pull: request, write n of m, index, state file", () => {
  afterEach(() => {
    life.stepsLeft = Number.POSITIVE_INFINITY;
  });

  it("leaves each file old or new and never a mix, and one more run heals it", async () => {
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      const [desk, service] = await deskWith(OLD);
      service.memories.clear();
      for (const [key, text] of Object.entries(NEW)) service.memories.set(key, text);
      isDone = await pullFor(desk, steps);
      for (const key of new Set([...Object.keys(OLD), ...Object.keys(NEW)]) as Set<
        keyof typeof OLD & keyof typeof NEW
      >) {
        const text = await desk.read(key).catch(() => undefined);
        const isWhole = text === undefined || text === OLD[key] || text === NEW[key];
        expect([steps, key, isWhole]).toEqual([steps, key, true]);
      }
      await desk.pull();
      expect([steps, await desk.keys()]).toEqual([steps, Object.keys(NEW).sort()]);
      for (const [key, text] of Object.entries(NEW)) expect([steps, await desk.read(key)]).toEqual([steps, text]);
      // Beside them, half of one may stand there, from a run that died over it.
      expect([steps, desk.attic()]).toEqual([steps, expect.arrayContaining([OLD["changed.md"], OLD["gone.md"]])]);
      expect([steps, (await desk.pull()).kind]).toEqual([steps, "nothing_new"]);
    }
    // Fewer would mean that the steps are not seen any more.
    expect(steps).toBeGreaterThan(30);
  }, 120_000);

  it("never leaves the marks of one pull beside the copies of another: mine is not merged from a text it was not made of", async () => {
    const TEXTS = { theirs: "One.\n\nTwo.", mine: "One.\n\nTwo.\n\nThree.", later: "One!\n\nTwo." };
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      const [desk, service] = await deskWith({ "b.md": memoryText("B") });
      const path = join(desk.context.teamDir, "a.md");
      mkdirSync(path);
      service.memories.set("a.md", memoryText("A", TEXTS.theirs));
      await desk.pull();
      rmSync(path, { recursive: true });
      await desk.write("a.md", memoryText("A", TEXTS.mine));
      service.memories.delete("a.md");
      isDone = await pullFor(desk, steps);
      service.memories.set("a.md", memoryText("A", TEXTS.later));
      await desk.pull();
      const { conflict } = readMarks(desk.context.stateFolder).get("a.md") ?? {};
      expect([steps, conflict !== undefined]).toEqual([steps, true]);
    }
    expect(steps).toBeGreaterThan(5);
  }, 120_000);
});

/** A pull by a process that dies after so many steps; whether it came to its end. */
async function pullFor(desk: Desk, steps: number): Promise<boolean> {
  life.stepsLeft = steps;
  const isDone = await desk.pull().then(
    () => true,
    () => false,
  );
  life.stepsLeft = Number.POSITIVE_INFINITY;
  // The lock of a dead process; this one only plays dead.
  rmSync(join(desk.context.stateFolder, "lock"), { force: true });
  return isDone;
}
