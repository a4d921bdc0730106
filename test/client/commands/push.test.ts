import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

describe("push", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": memoryText("A", "First."), "b.md": memoryText("B") });
  });

  it("says so where there is nothing to propose; sync, too", async () => {
    expect(await dev.call("push")).toMatchObject({ exit: EXIT.ok, text: "Nothing to propose" });
    expect(await dev.call("sync")).toMatchObject({ exit: EXIT.ok, text: "Nothing new\nNothing to propose" });
  });

  it("with nothing new to send says that, and claims nothing of the service, which it does not ask", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    service.requests.length = 0;
    service.intercept = (_request, response) => response.writeHead(401).end() !== undefined;
    const pushed = await dev.call("push");
    expect(pushed.exit).toBe(EXIT.ok);
    expect(pushed.text).toMatch(
      /^Nothing new to send; sent .* ago: a\.md \(http\S+\)\nHow that stands now: team-memory status$/,
    );
    expect(service.requests).toEqual([]);
  });

  it("of a key in conflict says that it is, and how to decide; the conflict stays", async () => {
    await makeConflict();
    for (const line of ["push a.md", "push"]) {
      const pushed = await dev.call(line);
      expect(pushed.exit).toBe(EXIT.attention);
      expect(pushed.text).toMatch(/^Not sent, the team changed it, too; .*team-memory conflicts: a\.md$/);
    }
    expect((await dev.call("conflicts list")).data).toMatchObject({ conflicts: [{ key: "a.md" }] });
    expect(service.puts).toEqual([]);
  });

  it("of a key in conflict whose file is gone keeps the conflict", async () => {
    await makeConflict();
    await dev.remove("a.md");
    expect((await dev.call("push a.md")).exit).toBe(EXIT.attention);
    expect((await dev.call("conflicts list")).data).toMatchObject({ conflicts: [{ key: "a.md" }] });
  });

  it("of a key in conflict that was proposed before says that it is in conflict", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    const pushed = await dev.call("push a.md");
    expect(pushed).toMatchObject({
      exit: EXIT.attention,
      data: { push: { idle: [{ key: "a.md", because: "conflict" }] } },
    });
    expect(pushed.text).toMatch(/^Not sent, the team changed it, too; .*: a\.md$/m);
  });

  it("sends the text of a key in conflict that was written since", async () => {
    await makeConflict();
    await dev.write("a.md", memoryText("A", "Both."));
    const pushed = await dev.call("push a.md");
    expect(pushed.text.split("\n")).toEqual([
      expect.stringMatching(/^1 proposed: a\.md/),
      expect.stringMatching(
        /^That decides the conflict about a\.md\. .*attic list a\.md; .*restore a\.md --at NUMBER$/,
      ),
    ]);
    expect((await dev.call("conflicts list")).data).toEqual({ conflicts: [] });
  });

  it("of named keys says why nothing of them is proposed", async () => {
    await dev.remove("b.md");
    const pushed = await dev.call("push a.md b.md");
    expect(pushed.exit).toBe(EXIT.ok);
    expect(pushed.text.split("\n")).toEqual([
      "Nothing to propose, it is as the team has it: a.md",
      expect.stringMatching(/^Nothing to propose, the file is not here; .*team-memory rm .*: b\.md$/),
    ]);
  });

  it("names files whose names can be no key, in words, and once where sync pulls them, too", async () => {
    await dev.write("CON.md", memoryText("Device"));
    await dev.write("c.md", memoryText("C"));
    const line = "Left alone, its name has a device name of Windows (R-WINRES): CON.md";
    expect((await dev.call("push")).text.split("\n")).toEqual([expect.stringMatching(/^1 proposed: c\.md/), line]);
    service.memories.set("d.md", memoryText("D"));
    const synced = await dev.call("sync");
    expect(synced.text.split("\n").filter((said) => said === line)).toHaveLength(1);
  });

  it("of files that cannot be proposed says what helps, once for each kind", async () => {
    const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    await dev.write("c.md", memoryText("C", `The token is ${token}`));
    await dev.write("d.md", "no frontmatter\n");
    await dev.write("e.md", "none either\n");
    await dev.write("f.md", memoryText("F", "Mine alone.", "user"));
    const remedies = (await dev.call("push")).text.split("\n").filter((line) => /^[a-z_]+: /.test(line));
    expect(remedies).toEqual([
      expect.stringMatching(/^secret_found: Take the secret out/),
      expect.stringMatching(/^invalid_memory: Correct /),
      "private_memory: Memories of type user stay private: team-memory keep-private f.md",
    ]);
  });

  it("says again that the role does not let it propose, where it was asked for", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.answerPut = () => ({ status: 403, body: { error: { code: "forbidden", message: "No", details: {} } } });
    expect(await dev.call("push")).toMatchObject({ exit: EXIT.denied });
    expect((await dev.call("push")).text).toMatch(/^Your role does not let you propose .* push KEY asks it again$/);
    expect(service.puts).toHaveLength(1);
  });

  it.each(["push", "push a.md"])("%s says what it took in on its way: removed, changed, new", async (line) => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.delete("b.md");
    service.memories.set("a.md", memoryText("A", "First.", "Theirs."));
    service.memories.set("c.md", memoryText("C"));
    service.answerPut = () => {
      service.answerPut = null;
      const keys = [{ key: "a.md", code: "conflict", message: "It has changed" }];
      return { status: 409, body: { error: { code: "conflict", message: "It has changed", details: { keys } } } };
    };
    const pushed = await dev.call(line);
    expect(pushed.text).toMatch(/^1 new: c\.md$/m);
    expect(pushed.text).toMatch(/^1 removed, copies are kept in the attic: b\.md$/m);
    expect(pushed.text).toMatch(/^a\.md: you and the team both changed it/m);
    expect(pushed.text).not.toContain("Not sent, the team changed it, too");
    expect(pushed.exit).toBe(EXIT.attention);
  });

  it("sync says what its push heard of on its way", async () => {
    await dev.write("c.md", memoryText("C"));
    await dev.call("push");
    await dev.write("a.md", memoryText("A", "Mine."));
    service.answerPut = (id) => {
      service.answerPut = null;
      service.memories.delete("b.md");
      service.memories.set("c.md", memoryText("C"));
      service.outcomes.set(id, { seq: 1, state: "merged", reason: null, url: "https://forge/1", rejected: [] });
      const message = "It is over";
      return { status: 409, body: { error: { code: "proposal_finished", message, details: {} } } };
    };
    const synced = await dev.call("sync");
    expect(synced.text.split("\n")).toEqual([
      "1 removed, copies are kept in the attic: b.md",
      expect.stringMatching(/^Your proposal \S+ was merged/),
      expect.stringMatching(/^1 proposed: a\.md/),
    ]);
  });

  async function makeConflict(): Promise<void> {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
  }
});
