import { describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { deskWith } from "./support.ts";

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}.md`, memoryText(`M${at}`)]));

describe("the remote is force-pushed from 79 files to 8, and the service serves that", () => {
  it("keeps the last good copy, announces what is held each time, and plays no ping-pong with the team", async () => {
    const [desk, service] = await deskWith(many(79));
    for (let at = 8; at < 79; at += 1) service.memories.delete(`m${at}.md`);
    for (let run = 0; run < 3; run += 1) {
      const { unplaced, changes } = await desk.pull();
      expect(unplaced).toHaveLength(71);
      expect(unplaced[0]?.because).toBe("removal_held");
      expect(changes).toEqual([]);
      expect((await desk.push()).kind).toBe("nothing");
    }
    expect(await desk.keys()).toHaveLength(79);
    expect(service.puts).toEqual([]);
  });

  it("is as before once the remote is mended, and as the remote once a person accepts it", async () => {
    const [desk, service] = await deskWith(many(79));
    const whole = new Map(service.memories);
    for (let at = 8; at < 79; at += 1) service.memories.delete(`m${at}.md`);
    await desk.pull();
    for (const [key, text] of whole) service.memories.set(key, text);
    expect((await desk.pull()).unplaced).toEqual([]);
    expect(await desk.keys()).toHaveLength(79);
    for (let at = 8; at < 79; at += 1) service.memories.delete(`m${at}.md`);
    await desk.pull({ acceptRemovals: true });
    expect(await desk.keys()).toHaveLength(8);
  });
});
