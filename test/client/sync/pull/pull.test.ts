import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarks } from "../../../../client/sync/state/marks-file.ts";
import { blobIdOf } from "../../../../shared/sync/git-ids.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { startStubService } from "../../stub-service.ts";
import { makeDesk } from "../support.ts";

const [A, B, C] = [memoryText("A"), memoryText("B"), memoryText("C")];

describe("pull", () => {
  it("places what the team has, and says nothing new the next time", async () => {
    const service = await startStubService({ "a.md": A, "sub/b.md": B });
    const desk = await makeDesk(service);
    const report = await desk.pull();
    expect(report.changes).toEqual([
      { key: "a.md", what: "new" },
      { key: "sub/b.md", what: "new" },
    ]);
    expect(await desk.read("sub/b.md")).toBe(B);
    expect(await desk.read("MEMORY.md")).toContain("[A](a.md)");
    expect((await desk.pull()).kind).toBe("nothing_new");
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it("takes changed and removed memories, and keeps the old texts in the attic", async () => {
    const service = await startStubService({ "a.md": A, "b.md": B, "c.md": C });
    const desk = await makeDesk(service);
    await desk.pull();
    service.memories.set("a.md", memoryText("A", "Newer."));
    service.memories.delete("b.md");
    expect((await desk.pull()).changes).toEqual([
      { key: "a.md", what: "changed" },
      { key: "b.md", what: "removed" },
    ]);
    expect(await desk.keys()).toEqual(["a.md", "c.md"]);
    expect(await desk.read("a.md")).toContain("Newer.");
    expect(desk.attic().sort()).toEqual([A, B]);
    expect(await desk.read("MEMORY.md")).not.toContain("b.md");
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it.each([
    ["a.md", "team-memory rm a.md"],
    ["it's $HOME.md", "team-memory rm 'it'\\''s $HOME.md'"],
  ])("restores a missing file, and says how to remove it: %s", async (key, how) => {
    const service = await startStubService({ [key]: A, "b.md": B });
    const desk = await makeDesk(service);
    await desk.pull();
    await rm(join(desk.context.teamDir, key));
    const report = await desk.pull();
    expect(report.changes).toEqual([{ key, what: "restored" }]);
    expect(report.notes.join()).toContain(how);
    expect(await desk.read(key)).toBe(A);
  });

  it("restores the whole folder where it is gone", async () => {
    const service = await startStubService({ "a.md": A, "sub/b.md": B });
    const desk = await makeDesk(service);
    await desk.pull();
    await rm(desk.context.teamDir, { recursive: true });
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md", "sub/b.md"]);
  });

  it("merges what both changed from what both started from, and sends the outcome", async () => {
    const [base, mine, theirs] = ["One.\n\nTwo.", "One!\n\nTwo.", "One.\n\nTwo?"].map((body) => memoryText("A", body));
    const service = await startStubService({ "a.md": base! });
    const desk = await makeDesk(service);
    await desk.pull();
    await desk.write("a.md", mine!);
    service.memories.set("a.md", theirs!);
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "merged" }]);
    expect(await desk.read("a.md")).toBe(memoryText("A", "One!\n\nTwo?"));
    expect(desk.attic()).toEqual([mine]);
    await desk.push();
    expect(service.puts.at(-1)?.request.changes).toMatchObject([
      { key: "a.md", baseBlob: blobIdOf(theirs!), text: memoryText("A", "One!\n\nTwo?") },
    ]);
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it("merges from what was placed last, where what came after it could not be placed", async () => {
    const [base, mine, theirs] = ["One.\n\nTwo.", "One!\n\nTwo.", "One.\n\nTwo?"].map((body) => memoryText("A", body));
    const service = await startStubService({ "a.md": base! });
    const desk = await makeDesk(service);
    await desk.pull();
    const path = join(desk.context.teamDir, "a.md");
    await rm(path);
    await mkdir(path);
    service.memories.set("a.md", theirs!);
    expect((await desk.pull()).unplaced).toEqual([{ key: "a.md", because: "not_a_file" }]);
    await rm(path, { recursive: true });
    await desk.write("a.md", mine!);
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "merged" }]);
    expect(await desk.read("a.md")).toBe(memoryText("A", "One!\n\nTwo?"));
  });

  it("keeps a local change, and parks it when the team changes the same memory", async () => {
    const service = await startStubService({ "a.md": A });
    const desk = await makeDesk(service);
    await desk.pull();
    const mine = memoryText("A", "Mine.");
    await desk.write("a.md", mine);
    service.memories.set("b.md", B);
    await desk.pull();
    expect(await desk.read("a.md")).toBe(mine);
    service.memories.set("a.md", memoryText("A", "Theirs."));
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "conflict" }]);
    expect(await desk.read("a.md")).toContain("Theirs.");
    const { conflict } = readMarks(desk.context.stateFolder).get("a.md") ?? {};
    expect(await readFile(join(desk.context.stateFolder, "attic", conflict?.attic ?? ""), "utf8")).toBe(mine);
  });

  it("holds a mass removal until it is accepted", async () => {
    const memories = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`m${at}.md`, memoryText(`M${at}`)]));
    const service = await startStubService(memories);
    const desk = await makeDesk(service);
    await desk.pull();
    service.memories.clear();
    service.memories.set("m0.md", memoryText("M0"));
    const report = await desk.pull();
    expect(report.unplaced).toHaveLength(8);
    expect(await desk.keys()).toHaveLength(9);
    expect((await desk.pull()).unplaced).toHaveLength(8);
    expect((await desk.pull({ acceptRemovals: true })).unplaced).toEqual([]);
    expect(await desk.keys()).toEqual(["m0.md"]);
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it("places everything but a key whose place a folder takes, and tries that one again", async () => {
    const service = await startStubService({ "a.md": A, "b.md": B });
    const desk = await makeDesk(service);
    await mkdir(join(desk.context.teamDir, "a.md"), { recursive: true });
    expect((await desk.pull()).unplaced).toEqual([{ key: "a.md", because: "not_a_file" }]);
    expect(await desk.read("b.md")).toBe(B);
    await rm(join(desk.context.teamDir, "a.md"), { recursive: true });
    expect((await desk.pull()).unplaced).toEqual([]);
    expect(await desk.read("a.md")).toBe(A);
  });

  it("lists local memories as not yet reviewed", async () => {
    const service = await startStubService({ "a.md": A });
    const desk = await makeDesk(service);
    await desk.pull();
    await desk.write("mine.md", memoryText("Mine"));
    await desk.pull();
    expect(await desk.read("MEMORY.md")).toMatch(/Not yet reviewed[\s\S]*\[Mine\]\(mine\.md\)/);
  });

  it("lists no local memory whose name, title or description holds a secret", async () => {
    const desk = await makeDesk(await startStubService({ "a.md": A }));
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    await desk.pull();
    await desk.write(`${secret}.md`, memoryText("Mine"));
    await desk.write("titled.md", memoryText(secret));
    await desk.write("described.md", memoryText("Mine").replace(/^description: .*$/m, `description: ${secret}`));
    await desk.write("body.md", memoryText("Body", `Only its body says ${secret}.`));
    await desk.pull();
    const index = await desk.read("MEMORY.md");
    expect(index).not.toContain("a1B2c3D4");
    expect([...index.matchAll(/\]\(([^)]+)\)/g)].map(([, key]) => key)).toEqual(["a.md", "body.md"]);
  });

  it("moves prose from the index to the attic, and drops pointer lines", async () => {
    const service = await startStubService({ "a.md": A });
    const desk = await makeDesk(service);
    await desk.pull();
    const index = await desk.read("MEMORY.md");
    await desk.write("MEMORY.md", `${index}- [Pointer](pointer.md) -- by an agent\n`);
    await desk.pull();
    expect(await desk.read("MEMORY.md")).toBe(index);
    expect(desk.attic()).toEqual([]);
    await desk.write("MEMORY.md", `${index}Remember the milk.\n`);
    await desk.pull();
    expect(await desk.read("MEMORY.md")).toBe(index);
    expect(desk.attic().join()).toContain("Remember the milk.");
  });
});
