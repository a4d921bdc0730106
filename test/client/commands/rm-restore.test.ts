import { beforeEach, describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { type Developer, startWork } from "./support.ts";

const A = memoryText("A", "First.");

describe("rm and restore", () => {
  let dev: Developer;

  beforeEach(async () => {
    [dev] = await startWork({ "a.md": A, "my notes.md": memoryText("Notes") });
  });

  it("rm says the whole line that undoes it", async () => {
    const removed = await dev.call("rm a.md");
    expect(removed.text.split("\n")[1]).toBe("Its text is in the attic; to undo: team-memory restore a.md");
    await dev.call("restore a.md");
    expect(await dev.read("a.md")).toBe(A);
  });

  it("rm of a file that is gone already speaks of no attic", async () => {
    await dev.remove("a.md");
    expect((await dev.call("rm a.md")).text.split("\n")[1]).toBe("To undo: team-memory restore a.md");
  });

  it("restore of what the team does not have says what becomes of it, as a line to paste", async () => {
    const push = "The next sync proposes it; at once: team-memory push mine.md";
    await dev.write("mine.md", memoryText("Mine"));
    expect((await dev.call("restore mine.md")).text.split("\n")).toEqual(["Here: mine.md", push]);
    await dev.call("rm mine.md");
    expect((await dev.call("restore mine.md")).text.split("\n")).toEqual(["Back here: mine.md", push]);
  });

  it("restore speaks of the attic where a text of mine went there, and only then", async () => {
    expect((await dev.call("restore a.md")).text).toBe("As the team has it: a.md");
    await dev.remove("a.md");
    expect((await dev.call("restore a.md")).text).toBe("As the team has it: a.md");
    await dev.write("a.md", memoryText("A", "Mine."));
    expect((await dev.call("restore a.md")).text).toMatch(/^As the team has it; a text of yours .* attic: a\.md$/);
    expect((await dev.call("attic list a.md")).text).toContain("replaced");
  });
});
