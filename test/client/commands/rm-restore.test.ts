import { beforeEach, describe, expect, it } from "vitest";
import { updateUserConfig } from "../../../client/user-config.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

const A = memoryText("A", "First.");

describe("rm and restore", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": A, "my notes.md": memoryText("Notes") });
  });

  it("rm says what becomes of it, and the whole line that undoes it", async () => {
    expect((await dev.call("rm a.md")).text.split("\n")).toEqual([
      "Removed here: a.md",
      "The next sync proposes that to the team; at once: team-memory push a.md",
      "Its text is kept; to undo: team-memory restore a.md",
    ]);
    await dev.call("restore a.md");
    expect(await dev.read("a.md")).toBe(A);
  });

  it("a local file that the user has removed by name is gone here, and for the team a proposal alone", async () => {
    const [one, team] = await startWork({ "a.md": memoryText("A"), "b.md": memoryText("B") });
    await one.call("rm a.md");
    await one.remove("b.md");
    await one.call("sync");
    expect(team.puts.map(({ request }) => request.changes)).toMatchObject([[{ key: "a.md", text: null }]]);
    expect([await one.read("a.md"), await one.read("b.md")]).toEqual([null, memoryText("B")]);
    await one.call("sync");
    expect(team.puts).toHaveLength(1);
  });

  it("says that what was sent of it is under review until the next sync, and only where it is", async () => {
    const line = "still under review until the next sync takes it back: team-memory sync";
    expect((await dev.call("rm a.md")).text).not.toContain(line);
    await dev.call("push");
    expect((await dev.call("rm a.md")).text).not.toContain(line);
    expect((await dev.call("restore a.md")).text).toContain(line);
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("sync");
    expect((await dev.call("rm a.md")).text).toContain(line);
    expect((await dev.call("restore a.md")).text).toContain(line);
    await dev.call("sync");
    expect((await dev.call("restore a.md")).text).not.toContain(line);
    await dev.write("mine.md", memoryText("Mine"));
    await dev.call("push");
    expect((await dev.call("rm mine.md")).text).toContain(line);
    expect((await dev.call("restore mine.md")).text).not.toContain(line);
  });

  it.each(["restore", "rm"])("%s of what is nowhere says where copies would be", async (verb) => {
    expect((await dev.call(`${verb} gone.md`)).error?.details["usage"]).toContain("team-memory attic list gone.md");
  });

  it("rm of a file that is gone already speaks of no attic", async () => {
    await dev.remove("a.md");
    expect((await dev.call("rm a.md")).text.split("\n")[2]).toBe("To undo: team-memory restore a.md");
  });

  it("restore of what the team does not have says what becomes of it, as a line to paste", async () => {
    const push = "The next sync proposes that to the team; at once: team-memory push mine.md";
    await dev.write("mine.md", memoryText("Mine"));
    expect((await dev.call("restore mine.md")).text.split("\n")).toEqual(["Here: mine.md", push]);
    await dev.call("rm mine.md");
    expect((await dev.call("restore mine.md")).text.split("\n")).toEqual(["Back here: mine.md", push]);
  });

  it("restore speaks of a kept copy where a text of mine was replaced, and only then", async () => {
    expect((await dev.call("restore a.md")).text).toBe("As the team has it: a.md");
    await dev.remove("a.md");
    expect((await dev.call("restore a.md")).text).toBe("As the team has it: a.md");
    await dev.write("a.md", memoryText("A", "Mine."));
    expect((await dev.call("restore a.md")).text.split("\n")).toEqual([
      "As the team has it: a.md",
      "Your text that lay there is kept: team-memory attic list a.md",
    ]);
    expect((await dev.call("attic list a.md")).text).toContain("replaced");
  });

  it.each([
    ["restore a.md", "Theirs."],
    ["rm a.md", null],
    ["attic restore a.md", "Mine."],
    ["conflicts resolve a.md --theirs", "Theirs."],
  ])("in a conflict, %s decides it, says so, and mine can be had back", async (line, text) => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    const done = await dev.call(line);
    if (!line.startsWith("conflicts")) expect(done.text).toContain("That decides the conflict about a.md.");
    expect(done.text).toContain("team-memory attic list a.md");
    expect(await dev.read("a.md")).toBe(text === null ? null : memoryText("A", text));
    expect((await dev.call("conflicts")).text).toBe("No conflicts");
    const { texts } = (await dev.call("attic list a.md")).data as { texts: { number: number; why: string }[] };
    const mine = texts.find(({ why }) => why === "resolved");
    await dev.call(`attic restore a.md --at ${mine?.number}`);
    expect(await dev.read("a.md")).toBe(memoryText("A", "Mine."));
  });

  it("in a conflict about what the team has removed since, restore brings mine back", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    service.memories.delete("a.md");
    await dev.call("pull");
    expect((await dev.call("restore a.md")).text).toMatch(
      /^Back here: a\.md\nThat decides the conflict about a\.md\. /,
    );
    expect(await dev.read("a.md")).toBe(memoryText("A", "Mine."));
    await dev.call("sync");
    expect(service.puts.at(-1)?.request.changes).toMatchObject([{ key: "a.md", text: memoryText("A", "Mine.") }]);
  });

  it.each(["rm a.md", "restore mine.md"])("%s promises a reader no proposal", async (line) => {
    await dev.write("mine.md", memoryText("Mine"));
    await asReader(dev.env);
    const { text } = await dev.call(line);
    expect(text).toContain("Only here, for your role does not let you propose it to the team: ask an admin");
    expect(text).not.toContain("next sync");
  });
});

async function asReader(env: Developer["env"]): Promise<void> {
  await updateUserConfig(env, (config) => ({
    ...config,
    services: config.services.map((service) => ({ ...service, role: "reader" })),
  }));
}
