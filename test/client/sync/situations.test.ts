import { chmodSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newOwnName } from "../../../shared/path/own-name.ts";
import { giveAway, unprivileged } from "../../security/paths/support.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { deskWith, makeDesk, sentKeys, untilAged } from "./support.ts";

const BODY = "Intro.\n\n## Why\n\nBecause.\n\n## How\n\nLike this.";
const A = memoryText("A", BODY);

describe("one memory edited in two places", () => {
  it("in different sections: merged from what both started from", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("a.md", A.replace("Because.", "Because of me."));
    service.memories.set("a.md", A.replace("Like this.", "Like that."));
    await desk.pull();
    expect(await desk.read("a.md")).toBe(A.replace("Because.", "Because of me.").replace("Like this.", "Like that."));
  });

  it("in one line: both texts kept, no markers on disk or sent, the file named", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    const [mine, theirs] = [A.replace("Because.", "Because of me."), A.replace("Because.", "Because of them.")];
    await desk.write("a.md", mine);
    service.memories.set("a.md", theirs);
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "conflict" }]);
    expect((await desk.push()).held).toMatchObject([{ key: "a.md", because: "conflict" }]);
    expect(await desk.read("a.md")).toBe(theirs);
    expect(desk.attic().sort()).toEqual([A, mine].sort());
    expect(service.puts).toEqual([]);
    expect(await desk.read("MEMORY.md")).not.toMatch(/^(<<<<<<<|=======|>>>>>>>)/m);
  });

  it("in different fields of its frontmatter: merged", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("a.md", A.replace("name: A", "name: A of mine"));
    service.memories.set("a.md", A.replace(/description: .*/, "description: Theirs"));
    await desk.pull();
    expect(await desk.read("a.md")).toContain("name: A of mine\ndescription: Theirs\n");
  });
});

describe("the generated index is dirty and the team has changed, too", () => {
  it("pulls, and makes the index anew after it", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("MEMORY.md", "- [Mine](mine.md) -- an agent's line\n");
    service.memories.set("b.md", memoryText("B"));
    expect((await desk.pull()).changes).toEqual([{ key: "b.md", what: "new" }]);
    const index = await desk.read("MEMORY.md");
    expect(index).toContain("(a.md)");
    expect(index).toContain("(b.md)");
    expect(index).not.toContain("mine.md");
    expect((await desk.push()).kind).toBe("nothing");
  });
});

describe("the team deletes or renames a memory of which there is an unsent edit here", () => {
  const MINE = A.replace("Because.", "Because of me.");

  it("keeps the edit and says so once, syncs the others on, and sends it only by name or after another edit", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": memoryText("B") });
    await desk.write("a.md", MINE);
    service.memories.delete("a.md");
    service.memories.set("b.md", memoryText("B", "Newer.")).set("renamed.md", A);
    expect((await desk.pull()).changes).toEqual([
      { key: "a.md", what: "removed_by_team" },
      { key: "b.md", what: "changed" },
      { key: "renamed.md", what: "new" },
    ]);
    await desk.write("c.md", memoryText("C"));
    expect((await desk.push()).held).toMatchObject([{ key: "a.md", because: "removed_by_team" }]);
    expect(sentKeys(service)).toEqual(["c.md"]);
    expect((await desk.pull()).changes).toEqual([]);
    expect(await desk.read("a.md")).toBe(MINE);
    await desk.push("a.md");
    expect(sentKeys(service)).toEqual(["a.md", "c.md"]);
  });

  it("does not get stuck where both have deleted it", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": memoryText("B") });
    await rm(join(desk.context.teamDir, "a.md"));
    service.memories.delete("a.md");
    await desk.pull();
    expect(await desk.keys()).toEqual(["b.md"]);
    expect((await desk.pull()).kind).toBe("nothing_new");
  });
});

describe("a draft gets another name while it is proposed", () => {
  const inOrder = { "pull, push": ["pull", "push"], "push, pull": ["push", "pull"] } as const;

  it.each(Object.keys(inOrder) as (keyof typeof inOrder)[])(
    "%s: is proposed under the new one alone",
    async (order) => {
      const [desk, service] = await deskWith({ "a.md": A });
      await desk.write("draft.md", memoryText("Draft"));
      await desk.write("other.md", memoryText("Other"));
      await desk.push();
      await rename(join(desk.context.teamDir, "draft.md"), join(desk.context.teamDir, "better.md"));
      for (const act of [...inOrder[order], ...inOrder[order]]) await desk[act]();
      expect(service.puts.at(-1)?.request.changes.map(({ key }) => key)).toEqual(["better.md", "other.md"]);
      expect(await desk.keys()).toEqual(["a.md", "better.md", "other.md"]);
    },
  );

  it("and an edit: nothing says that it is the same, so both are there", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("draft.md", memoryText("Draft"));
    await desk.push();
    await rm(join(desk.context.teamDir, "draft.md"));
    await desk.write("better.md", memoryText("Draft", "Better."));
    await desk.pull();
    await desk.push();
    expect(sentKeys(service)).toEqual(["better.md", "draft.md"]);
    expect(await desk.keys()).toEqual(["a.md", "better.md", "draft.md"]);
  });

  it("does not count where the text lay at the other key before, or the team has the old one by now", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("draft.md", memoryText("Draft"));
    await desk.write("twin.md", memoryText("Draft"));
    await desk.push();
    await rm(join(desk.context.teamDir, "draft.md"));
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md", "draft.md", "twin.md"]);
    await rename(join(desk.context.teamDir, "draft.md"), join(desk.context.teamDir, "better.md"));
    service.memories.set("draft.md", memoryText("Draft"));
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md", "better.md", "draft.md", "twin.md"]);
  });
});

describe("a local file is missing", () => {
  it("swept by a clean-up: restored, said once with the command that removes it for all, never proposed", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": memoryText("B") });
    await rm(join(desk.context.teamDir, "a.md"));
    expect((await desk.push()).kind).toBe("nothing");
    const { notes } = await desk.pull();
    expect(notes.join()).toContain("team-memory rm a.md");
    expect((await desk.pull()).notes).toEqual([]);
    expect(await desk.read("a.md")).toBe(A);
    expect(service.puts).toEqual([]);
  });

  it("with its whole folder, which a file has taken the place of: restored once that is gone, and nothing is proposed", async () => {
    const [desk, service] = await deskWith({ "sub/a.md": A });
    await rename(join(desk.context.teamDir, "sub"), join(dirname(desk.context.teamDir), "sub"));
    await writeFile(join(desk.context.teamDir, "sub"), "");
    await desk.pull();
    expect((await desk.push()).kind).toBe("nothing");
    await rm(join(desk.context.teamDir, "sub"));
    await desk.pull();
    expect(await desk.read("sub/a.md")).toBe(A);
    expect(service.puts).toEqual([]);
  });

  it("in a folder that cannot be read: nothing is known of it, so nothing is restored, removed or proposed", async () => {
    const service = await startStubService({ "sub/a.md": A, "b.md": memoryText("B") });
    const desk = await makeDesk(service);
    const folder = join(desk.context.teamDir, "sub");
    giveAway(dirname(desk.context.stateFolder));
    await unprivileged(async () => {
      await desk.pull();
      chmodSync(folder, 0o000);
      service.memories.set("sub/a.md", memoryText("A", "Theirs.")).set("b.md", memoryText("B", "Newer."));
      expect((await desk.pull()).unplaced).toEqual([{ key: "sub/a.md", because: "unreadable" }]);
      expect((await desk.push()).kind).toBe("nothing");
      expect(await desk.read("b.md")).toContain("Newer.");
      chmodSync(folder, 0o700);
      await desk.pull();
      expect(await desk.read("sub/a.md")).toContain("Theirs.");
    });
    expect(service.puts).toEqual([]);
  });
});

describe("a file in another encoding or with other line ends", () => {
  const TEXT = memoryText("A", "Größe.");
  const bytes = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding);

  const EQUAL = [
    { name: "CRLF", bytes: bytes(TEXT.replaceAll("\n", "\r\n")) },
    { name: "a BOM", bytes: bytes(`\ufeff${TEXT}`) },
    { name: "no final newline", bytes: bytes(TEXT.trimEnd()) },
    { name: "all three", bytes: bytes(`\ufeff${TEXT.trimEnd().replaceAll("\n", "\r\n")}`) },
  ];

  it.each(EQUAL)("$name: no change, neither of mine nor of the team's", async ({ bytes: written }) => {
    const [desk, service] = await deskWith({ "a.md": TEXT });
    await desk.write("a.md", written);
    expect((await desk.push()).kind).toBe("nothing");
    service.memories.set("b.md", memoryText("B"));
    await desk.pull();
    expect((await desk.pull()).kind).toBe("nothing_new");
    service.memories.set("a.md", memoryText("A", "Theirs."));
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "changed" }]);
  });

  it.each(EQUAL)("$name in the remote: taken as it is, and not proposed back", async ({ bytes: served }) => {
    const [desk, service] = await deskWith({ "a.md": served.toString("utf8") });
    expect((await desk.push()).kind).toBe("nothing");
    expect((await desk.pull()).kind).toBe("nothing_new");
    expect(service.puts).toEqual([]);
  });

  const NOT_TEXT = [
    { name: "UTF-16", bytes: bytes(`\ufeff${TEXT}`, "utf16le") },
    { name: "Latin-1", bytes: bytes(TEXT, "latin1") },
  ];

  it.each(NOT_TEXT)("$name: named, kept, not sent; the others are", async ({ bytes: written }) => {
    const [desk, service] = await deskWith({ "a.md": TEXT });
    await desk.write("bad.md", written);
    await desk.write("good.md", memoryText("Good"));
    const report = await desk.push();
    expect(report).toMatchObject({ keys: ["good.md"], problems: [{ key: "bad.md", code: "invalid_memory" }] });
    expect(report.problems[0]?.message).toMatch(/UTF-8/);
    await desk.pull();
    expect((await desk.push()).kind).toBe("unchanged");
    expect(sentKeys(service)).toEqual(["good.md"]);
  });

  it("an empty file is what a crash leaves of one: no edit, and no conflict when the team changes it", async () => {
    const [desk, service] = await deskWith({ "a.md": TEXT });
    await desk.write("a.md", "");
    expect((await desk.push()).kind).toBe("nothing");
    service.memories.set("a.md", memoryText("A", "Theirs."));
    expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "restored" }]);
    expect(await desk.read("a.md")).toContain("Theirs.");
    expect(service.puts).toEqual([]);
  });
});

describe("the state is damaged", () => {
  it.each(["head.json", "marks.json", "outbox.json", "stats.cache", "newest.cache", "tree.cache", "index.cache"])(
    "%s: healed by one pull; every text stays",
    async (name) => {
      const [desk] = await deskWith({ "a.md": A, "b.md": memoryText("B") });
      await desk.write("mine.md", memoryText("Mine"));
      await writeFile(join(desk.context.stateFolder, name), '{"format":1,');
      await untilAged();
      await desk.pull();
      expect((await desk.pull()).kind).toBe("nothing_new");
      expect(await desk.keys()).toEqual(["a.md", "b.md", "mine.md"]);
      expect(await desk.read("MEMORY.md")).toContain("(mine.md)");
    },
  );

  it("the pristine copies are gone: pulled anew; an edit of mine is merged or kept", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": memoryText("B") });
    const mine = A.replace("Because.", "Because of me.");
    await desk.write("a.md", mine);
    await rm(join(desk.context.stateFolder, "pristine"), { recursive: true });
    service.memories.set("b.md", memoryText("B", "Newer."));
    await desk.pull({ acceptRemovals: true });
    expect(await desk.read("b.md")).toContain("Newer.");
    expect([await desk.read("a.md"), ...desk.attic()]).toContain(mine);
  });
});

describe("a pull was killed before its journal was written", () => {
  it.each(["", "sub/"])(
    "clears the files that it had staged in team/%s by the next pull, also by a quick one",
    async (folder) => {
      const [desk, service] = await deskWith({ "a.md": A, "sub/b.md": memoryText("B") });
      await desk.pull();
      await desk.write(`${folder}${newOwnName("tmp")}`, "staged\n");
      await desk.write(`${folder}${newOwnName("old")}`, "moved aside\n");
      service.memories.set("a.md", A.replace("Because.", "Because of them."));
      expect((await desk.pull()).changes).toEqual([{ key: "a.md", what: "changed" }]);
      expect(await desk.keys()).toEqual(["a.md", "sub/b.md"]);
      expect(desk.attic().sort()).toEqual([A, "moved aside\n"].sort());
    },
  );

  it("clears them where nothing is new, too", async () => {
    const [desk] = await deskWith({ "a.md": A });
    await desk.write(newOwnName("tmp"), "staged\n");
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md"]);
    expect((await desk.pull()).kind).toBe("nothing_new");
  });
});
