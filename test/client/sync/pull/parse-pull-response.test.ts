import { describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../../shared/errors/team-memory-error.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { deskWith } from "../support.ts";

describe("a pull whose answer holds a text that no file can hold", () => {
  it.each([
    ["a NUL", "half\0\n"],
    ["a high surrogate alone", "a\ud83d b\n"],
    ["a low surrogate alone", "a \ude00b\n"],
    ["two in the wrong order", "\ude00\ud83d\n"],
  ])("%s: refuses it whole, and places nothing", async (_what, text) => {
    const [desk, service] = await deskWith({ "a.md": memoryText("A") });
    service.memories.set("b.md", text).set("c.md", memoryText("C"));
    const failure = await desk.pull().catch((error: unknown) => error);
    expect(isTeamMemoryError(failure) && failure.code).toBe("bad_response");
    expect(await desk.keys()).toEqual(["a.md"]);
  });

  it("takes what needs a whole pair", async () => {
    const [desk, service] = await deskWith({ "a.md": memoryText("A") });
    service.memories.set("b.md", "An emoji: 😀\n");
    await desk.pull();
    expect(await desk.read("b.md")).toBe("An emoji: 😀\n");
  });
});
