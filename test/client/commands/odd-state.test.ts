import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type Developer, startWork } from "./support.ts";

/** All that a run of each command reads or writes. */
const NAMES = ["head.json", "marks.json", "outbox.json", "journal.json", "checked", "failure.json", "pruned"];
const CACHES = ["tree.cache", "newest.cache", "index.cache", "stats.cache", "turn.cache"];
const LINES = ["status", "diff", "conflicts", "attic list", "pull", "push", "sync"];

/** Mine under review, one that waits as a conflict, and one that is only here. */
async function startWorkInProgress() {
  const [dev, service] = await startWork({ "a.md": memoryText("A"), "b.md": memoryText("B") });
  await dev.write("mine.md", memoryText("Mine"));
  await dev.call("push");
  await dev.write("b.md", memoryText("B", "Mine of b."));
  service.memories.set("b.md", memoryText("B", "Theirs of b."));
  await dev.call("pull");
  await dev.write("new.md", memoryText("New"));
  return { dev, service };
}

function listTexts({ teamDir, stateFolder }: Developer): string[] {
  const attic = join(stateFolder, "attic");
  return [teamDir, ...(existsSync(attic) ? [attic] : [])].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "MEMORY.md")
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
  );
}

describe("a file of the state that was cut at any length", () => {
  it.each(["head.json", "marks.json", "outbox.json"])(
    "%s: no text is lost, and no second proposal is made",
    async (name) => {
      const { dev, service } = await startWorkInProgress();
      const before = listTexts(dev);
      const path = join(dev.stateFolder, name);
      const whole = readFileSync(path);
      const lengths = [...new Set([0, 1, 2, ...Array.from({ length: 9 }, (_, at) => (whole.length * (at + 1)) >> 3)])];
      for (const length of lengths.filter((one) => one < whole.length)) {
        writeFileSync(path, whole.subarray(0, length));
        for (const line of ["status", "sync"]) {
          const { exit, text } = await dev.call(line);
          expect([length, line, exit, text]).toEqual([length, line, expect.toBeOneOf([EXIT.ok, EXIT.attention]), text]);
        }
        expect([length, listTexts(dev)]).toEqual([length, expect.arrayContaining(before)]);
        expect([length, new Set(service.puts.map(({ id }) => id)).size]).toEqual([length, 1]);
        const { text } = await dev.call("conflicts");
        expect([length, text]).toEqual([length, expect.stringContaining("b.md")]);
      }
    },
  );
});

describe("something else lies in place of a file of the state", () => {
  const ODD: Readonly<Record<string, (path: string) => unknown>> = {
    "a pipe": (path) => execFileSync("mkfifo", [path]),
    "a link to itself": (path) => symlinkSync(path, path),
    "a folder": (path) => mkdirSync(path),
  };

  it.each([...NAMES, ...CACHES])("%s: no command hangs or loses a text; each works, or names it", async (name) => {
    const { dev, service } = await startWorkInProgress();
    const before = listTexts(dev);
    const path = join(dev.stateFolder, name);
    for (const [odd, put] of Object.entries(ODD)) {
      rmSync(path, { force: true, recursive: true });
      put(path);
      service.memories.set("c.md", memoryText("C", odd));
      for (const line of LINES) {
        const { exit, error, text } = await dev.call(line);
        const isNamed = error?.code === "disk" && text.includes(name.split(".")[0] ?? "");
        expect([odd, line, isNamed || exit === EXIT.ok || exit === EXIT.attention, text]).toEqual([
          odd,
          line,
          true,
          text,
        ]);
      }
      expect([odd, listTexts(dev)]).toEqual([odd, expect.arrayContaining(before)]);
    }
    rmSync(path, { force: true, recursive: true });
    expect([EXIT.ok, EXIT.attention]).toContain((await dev.call("sync")).exit);
  });
});
