import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { makeSeat } from "./support.ts";

const FILES = [
  "head.json",
  "marks.json",
  "outbox.json",
  "journal.json",
  "failure.json",
  "tree.cache",
  "newest.cache",
  "index.cache",
  "stats.cache",
];
const GARBAGE = ["", "\0\0\0\0", '{"format":1', "[]", "null", `{"format":1,"head":${"[".repeat(5_000)}`];

describe("sessionStart over a damaged state", () => {
  it.each(FILES)("tells what the team has, and is whole again by the next session: %s", async (name) => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, writeState } = await makeSeat(service.url);
    await startSession();
    for (const [at, garbage] of GARBAGE.entries()) {
      writeState(name, garbage);
      service.memories.set("b.md", memoryText(`B${at}`));
      const { context } = await startSession();
      expect(context, garbage).toContain("State: up to date");
      expect(context, garbage).toContain(`[B${at}](b.md)`);
    }
    expect((await startSession()).context).toContain("State: up to date");
  });

  it.each(["head.json", "marks.json", "outbox.json", "journal.json"])(
    "touches nothing where a newer client wrote %s, and says so",
    async (name) => {
      const service = await startStubService({ "a.md": memoryText("A") });
      const { startSession, writeState, located } = await makeSeat(service.url);
      await startSession();
      writeState(name, '{"format":99}');
      service.memories.set("b.md", memoryText("B"));
      const { context } = await startSession();
      expect(context).toContain("(upgrade_required)");
      expect(context).toContain("[A](a.md)");
      expect(readFileSync(join(located.stateFolder, name), "utf8")).toBe('{"format":99}');
    },
  );

  it.each(["marks.json", "outbox.json"])("says each time that %s was set aside, until it is deleted", async (name) => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, writeState, located } = await makeSeat(service.url);
    await startSession();
    writeState(name, '{"format":1,');
    service.memories.set("b.md", memoryText("B"));
    await startSession();
    expect((await startSession()).context).toContain("is damaged; team-memory status names it.");
    const aside = readdirSync(located.stateFolder).filter((file) => file.includes(".damaged-"));
    expect(aside).toHaveLength(1);
    rmSync(join(located.stateFolder, aside[0] ?? ""));
    expect((await startSession()).context).not.toContain("damaged");
  });

  it("pulls everything again where the pristine copies are damaged or gone", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, located } = await makeSeat(service.url);
    await startSession();
    const packs = join(located.stateFolder, "pristine");
    for (const pack of readdirSync(packs)) writeFileSync(join(packs, pack), "no pack");
    service.memories.set("b.md", memoryText("B"));
    expect((await startSession()).context).toContain("[B](b.md)");
    rmSync(packs, { recursive: true });
    service.memories.set("c.md", memoryText("C"));
    expect((await startSession()).context).toContain("[C](c.md)");
  });

  it.each([...FILES.filter((name) => !name.endsWith(".cache")), "checked"])(
    "never fails, and says why, where a folder lies in place of %s",
    async (name) => {
      const service = await startStubService({ "a.md": memoryText("A") });
      const { startSession, located } = await makeSeat(service.url);
      await startSession();
      rmSync(join(located.stateFolder, name), { force: true });
      mkdirSync(join(located.stateFolder, name));
      service.memories.set("b.md", memoryText("B"));
      const { context } = await startSession();
      expect(context).toMatch(/State: up to date|\(disk\)/);
      expect(context).toContain("[A](a.md)");
    },
  );

  it("says why where the state folder itself is a file", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, located } = await makeSeat(service.url);
    await startSession();
    rmSync(located.stateFolder, { recursive: true });
    writeFileSync(located.stateFolder, "a file");
    const { context } = await startSession();
    expect(context).toContain("(disk)");
  });
});
