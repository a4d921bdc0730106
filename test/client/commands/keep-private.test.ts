import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

const A = memoryText("A", "The team's.");
const MINE = memoryText("Mine");

describe("keep-private", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": A });
    await writeFile(join(dev.memoryDir, "MEMORY.md"), "- [Own](own.md) -- mine\n");
  });

  it("moves a memory that only I have, and proposes nothing of it", async () => {
    await dev.write("mine.md", MINE);
    expect(await dev.call("keep-private mine.md")).toMatchObject({ exit: EXIT.ok, data: { isProposed: false } });
    expect(await dev.read("mine.md")).toBeNull();
    expect(await privately("mine.md")).toBe(MINE);
    await dev.call("sync");
    expect(service.puts).toEqual([]);
    expect(await dev.read("mine.md")).toBeNull();
    expect(await dev.read("MEMORY.md")).not.toContain("mine.md");
    expect(await privately("MEMORY.md")).toBe("- [Own](own.md) -- mine\n");
  });

  it("takes it out of the open proposal, and it does not come back", async () => {
    await dev.write("mine.md", MINE);
    await dev.call("push");
    const kept = await dev.call("keep-private mine.md");
    expect(kept.data).toMatchObject({ isProposed: true });
    expect(kept.text).toContain("still under review until the next sync");
    await dev.call("sync");
    expect(service.puts.at(-1)?.request.changes).toEqual([]);
    await dev.call("sync");
    expect(await dev.read("mine.md")).toBeNull();
  });

  it("moves what a reviewer said no to, and puts the team's text back", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    const [{ id } = { id: "" }] = service.puts;
    service.outcomes.set(id, { state: "closed", seq: 1, reason: "no", rejected: [], url: "http://stub/review/1" });
    await dev.call("pull");
    await dev.call("keep-private a.md");
    expect(await privately("a.md")).toBe(memoryText("A", "Mine."));
    expect(await dev.read("a.md")).toBe(A);
    expect(await dev.call("status")).toMatchObject({ exit: EXIT.ok });
  });

  it("keeps folders out of the private side: one name, which is never its index", async () => {
    await dev.write("sub/MEMORY.md", MINE);
    await dev.call("keep-private sub/MEMORY.md");
    expect(await privately("sub_MEMORY.md")).toBe(MINE);
    expect(await privately("MEMORY.md")).toBe("- [Own](own.md) -- mine\n");
  });

  it("never overwrites, not even through a link, and goes on where a killed run had copied it already", async () => {
    await dev.write("mine.md", MINE);
    await writeFile(join(dev.memoryDir, "mine.md"), "another\n");
    expect((await dev.call("keep-private mine.md")).text).toContain("(key_collision)");
    expect(await privately("mine.md")).toBe("another\n");
    const outside = join(await tempDir(), "outside.md");
    await writeFile(outside, "outside\n");
    await dev.write("other.md", MINE);
    await symlink(outside, join(dev.memoryDir, "other.md"));
    expect((await dev.call("keep-private other.md")).text).toContain("(key_collision)");
    expect(await readFile(outside, "utf8")).toBe("outside\n");
    expect(await dev.read("other.md")).toBe(MINE);
    await writeFile(join(dev.memoryDir, "mine.md"), MINE);
    expect(await dev.call("keep-private mine.md")).toMatchObject({ exit: EXIT.ok });
    expect(await dev.read("mine.md")).toBeNull();
  });

  it("refuses what the team has, what waits as a conflict, and what is not there", async () => {
    expect((await dev.call("keep-private a.md")).text).toBe("It is the team's, and was not moved: a.md (usage)");
    expect((await dev.call("keep-private nothing.md")).text).toContain("(not_here)");
    expect((await dev.call("keep-private")).exit).toBe(EXIT.usage);
    await mkdir(join(dev.teamDir, "folder.md"));
    expect((await dev.call("keep-private folder.md")).text).toContain("no plain file lies there");
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    await dev.write("a.md", memoryText("A", "Mine again."));
    expect((await dev.call("keep-private a.md")).text).toContain("(conflict)");
    expect(await dev.read("a.md")).toContain("Mine again.");
  });

  function privately(name: string): Promise<string> {
    return readFile(join(dev.memoryDir, name), "utf8");
  }
});
