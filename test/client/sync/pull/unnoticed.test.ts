/** Changes that no listing of names tells: the next pull notices them all the same. */
import { chmod, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryText } from "../../../support/memory-text.ts";
import { type Desk, deskWith, untilAged } from "../support.ts";

const A = memoryText("A");
const at = ({ context }: Desk, key: string) => join(context.teamDir, key);

async function settled(): Promise<Desk> {
  const [desk] = await deskWith({ "a.md": A });
  return desk;
}

async function pullAged(desk: Desk): Promise<void> {
  await untilAged();
  await desk.pull();
}

describe("what has the name of before", () => {
  it("a draft in the place of a link is listed", async () => {
    const desk = await settled();
    await symlink("/etc/hostname", at(desk, "new.md"));
    await pullAged(desk);
    await pullAged(desk);
    await rm(at(desk, "new.md"));
    await desk.write("new.md", memoryText("New"));
    await pullAged(desk);
    expect(await desk.read("MEMORY.md")).toContain("(new.md)");
  });

  it.each([
    ["a link", (path: string) => symlink("/etc/hostname", path)],
    ["a folder", (path: string) => mkdir(path)],
  ])("%s in the place of a reviewed memory is told, and the memory is back once that is gone", async (_, put) => {
    const desk = await settled();
    await pullAged(desk);
    await rm(at(desk, "a.md"));
    await put(at(desk, "a.md"));
    await untilAged();
    const seen = await desk.pull().catch((error: { code: string }) => error);
    expect(seen).not.toMatchObject({ kind: "nothing_new" });
    await rm(at(desk, "a.md"), { recursive: true });
    await pullAged(desk);
    expect(await readFile(at(desk, "a.md"), "utf8")).toBe(A);
  });

  it("a draft that was moved there, older than the one before, is told as it is", async () => {
    const desk = await settled();
    await desk.write("new.md", memoryText("First"));
    await writeFile(join(desk.context.stateFolder, "aside"), memoryText("Second"));
    const old = new Date(Date.now() - 60_000);
    await utimes(join(desk.context.stateFolder, "aside"), old, old);
    await pullAged(desk);
    await rename(join(desk.context.stateFolder, "aside"), at(desk, "new.md"));
    await pullAged(desk);
    expect(await desk.read("MEMORY.md")).toContain("[Second]");
  });

  it.skipIf(process.getuid?.() === 0)("a draft that was unreadable is listed once it can be read", async () => {
    const desk = await settled();
    await desk.write("new.md", memoryText("New"));
    await chmod(at(desk, "new.md"), 0);
    await pullAged(desk);
    await chmod(at(desk, "new.md"), 0o600);
    await pullAged(desk);
    expect(await desk.read("MEMORY.md")).toContain("(new.md)");
  });

  it("a draft whose mode changes is looked at again", async () => {
    const desk = await settled();
    await desk.write("new.md", memoryText("New"));
    await pullAged(desk);
    await chmod(at(desk, "new.md"), 0o640);
    await untilAged();
    expect((await desk.pull()).kind).toBe("pulled");
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it("an index that somebody wrote over in that very moment is made anew, and what they wrote is kept", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    for (let round = 0; round < 20; round += 1) {
      service.memories.set(`m${round}.md`, memoryText(`M${round}`));
      const writing = (async () => {
        for (let write = 0; write < 40; write += 1) await desk.write("MEMORY.md", `Prose ${round}.${write}\n`);
      })();
      await Promise.all([desk.pull(), writing]);
      await desk.pull();
      await desk.pull();
      expect(await desk.read("MEMORY.md")).toContain(`(m${round}.md)`);
    }
  });
});

it("a memory of the team is not placed beside a draft of its name in another case, listed or not", async () => {
  const [desk, service] = await deskWith({ "b.md": A });
  await desk.write("A.md", memoryText("ghp_0123456789abcdefghijABCDEFGHIJ012345"));
  await desk.pull();
  service.memories.set("a.md", A);
  await pullAged(desk);
  expect(await desk.keys()).toEqual(["A.md", "b.md"]);
});

it.each(["k.md", "new/k.md"])("a link where a memory of the team belongs is named: %s", async (key) => {
  const [desk, service] = await deskWith({ "a.md": A });
  await mkdir(at(desk, "new"), { recursive: true });
  await symlink("/nowhere/at/all", at(desk, key));
  service.memories.set(key, A);
  await expect(desk.pull()).rejects.toMatchObject({ rule: "R-LINK", message: expect.stringContaining(key) });
});
