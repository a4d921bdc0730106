import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { memoryText } from "../../../support/memory-text.ts";
import { type Desk, deskWith, untilAged } from "../support.ts";

async function pullBefore(desk: Desk, write: () => Promise<void>): Promise<string> {
  await desk.pull();
  await write();
  await desk.pull();
  return desk.read("MEMORY.md");
}

it("a memory that was empty still when a pull looked at it is listed by the next", async () => {
  const [desk] = await deskWith({ "a.md": memoryText("A") });
  await desk.write("new.md", "");
  expect(await pullBefore(desk, () => desk.write("new.md", memoryText("New")))).toContain("(new.md)");
});

it("what an unreviewed memory says of itself is told as it is now, whichever way it was written", async () => {
  const [desk] = await deskWith({ "a.md": memoryText("A") });
  const path = join(desk.context.teamDir, "new.md");
  await desk.write("new.md", memoryText("First title"));
  expect(await pullBefore(desk, () => desk.write("new.md", memoryText("Other title")))).toContain("[Other title]");
  const replaced = await pullBefore(desk, async () => {
    await rm(path);
    await writeFile(path, memoryText("Third title"));
  });
  expect(replaced).toContain("[Third title]");
});

it("a memory rewritten while a pull reads it is told as it was left", async () => {
  const [desk] = await deskWith({ "a.md": memoryText("A") });
  for (let round = 1; round <= 20; round += 1) {
    await desk.write("new.md", memoryText(`Title 000-${round}`));
    await Promise.all([desk.pull(), desk.write("new.md", memoryText(`Title ${round}`))]);
    await desk.pull();
    expect(await desk.read("MEMORY.md")).toContain(`[Title ${round}]`);
  }
});

it("an unreviewed memory is looked at no more than once while it stays the same", async () => {
  const [desk] = await deskWith({ "a.md": memoryText("A") });
  await desk.write("new.md", memoryText("New"));
  await untilAged();
  expect((await desk.pull()).kind).toBe("pulled");
  expect((await desk.pull()).kind).toBe("nothing_new");
});
