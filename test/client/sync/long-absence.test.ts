import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { deskWith, sentKeys, untilAged } from "./support.ts";

describe("a client comes back after 30 days in which 600 memories were removed", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}.md`, memoryText(`M${at}`)]));

  it("brings none of them back, and proposes its own new edits alone", async () => {
    const [desk, service] = await deskWith(many(1_250));
    await desk.write("m1249.md", memoryText("M1249", "Edited while away."));
    await desk.write("mine.md", memoryText("Mine"));
    for (let at = 0; at < 600; at += 1) service.memories.delete(`m${at}.md`);
    await untilAged();
    await desk.pull();
    await desk.push();
    expect(sentKeys(service)).toEqual(["m1249.md", "mine.md"]);
    expect(await desk.keys()).toHaveLength(651);
    expect(desk.attic()).toHaveLength(600);
    expect((await desk.pull()).kind).toBe("nothing_new");
  });

  it("holds them in place where they are most of what it has, and proposes none of them meanwhile", async () => {
    const [desk, service] = await deskWith(many(605));
    await desk.write("m604.md", memoryText("M604", "Edited while away."));
    for (let at = 0; at < 600; at += 1) service.memories.delete(`m${at}.md`);
    expect((await desk.pull()).unplaced).toHaveLength(600);
    await desk.push();
    expect(sentKeys(service)).toEqual(["m604.md"]);
    await desk.pull({ acceptRemovals: true });
    expect(await desk.keys()).toEqual(["m600.md", "m601.md", "m602.md", "m603.md", "m604.md"]);
  });

  it("brings none back from a state that was lost, or restored from an old backup, either", async () => {
    const [desk, service] = await deskWith(many(10));
    for (let at = 0; at < 4; at += 1) service.memories.delete(`m${at}.md`);
    await rm(desk.context.stateFolder, { recursive: true });
    await desk.pull();
    expect((await desk.push()).kind).toBe("nothing");
    expect(service.puts).toEqual([]);
  });
});
