import { chmod, cp, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import type { StubService } from "../stub-service.ts";
import { type Developer, startWork } from "./support.ts";

const BASE = memoryText("A", "First.\n\nSecond.\n\nThird.");
const MINE = memoryText("A", "First.\n\nMine.\n\nThird.");
const THEIRS = memoryText("A", "First.\n\nTheirs.\n\nThird.");
const BOTH = memoryText("A", "First.\n\nTheirs.\nMine.\n\nThird.");

describe("conflicts", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": BASE, "b.md": memoryText("B") });
    await dev.write("a.md", MINE);
    service.memories.set("a.md", THEIRS);
    expect((await dev.call("pull")).exit).toBe(EXIT.attention);
  });

  it("lists what waits, and nothing once it is decided", async () => {
    const listed = await dev.call("conflicts");
    expect(listed).toMatchObject({ exit: EXIT.attention, data: { conflicts: [{ key: "a.md" }] } });
    expect(listed.text).toContain("a.md");
    expect(listed.text).not.toContain("Mine.");
    await dev.call("conflicts resolve a.md --theirs");
    expect(await dev.call("conflicts list")).toMatchObject({ exit: EXIT.ok, text: "No conflicts" });
  });

  it("shows what both started from, mine and the team's", async () => {
    const { data, text } = await dev.call("conflicts show a.md");
    expect(data).toMatchObject({ conflict: { base: BASE, mine: MINE, theirs: THEIRS } });
    for (const word of ["Second.", "Mine.", "Theirs."]) expect(text).toContain(word);
  });

  it("sends nothing of it until it is decided", async () => {
    expect((await dev.call("push")).text).toContain("team-memory conflicts");
    expect(service.puts).toEqual([]);
    expect(await dev.read("a.md")).toBe(THEIRS);
  });

  const DECISIONS = [
    { name: "mine", how: "--mine", text: MINE },
    { name: "theirs", how: "--theirs", text: THEIRS },
    { name: "both", how: "--both", text: BOTH },
  ];

  it.each(DECISIONS)(
    "resolve $how puts $name in place, and proposes it where it is not the team's",
    async (decision) => {
      expect(await dev.call(`conflicts resolve a.md ${decision.how}`)).toMatchObject({ exit: EXIT.ok });
      expect(await dev.read("a.md")).toBe(decision.text);
      await dev.call("push");
      const sent = service.puts.flatMap(({ request }) => request.changes.map(({ text }) => text));
      expect(sent).toEqual(decision.text === THEIRS ? [] : [decision.text]);
      expect((await dev.call("pull")).text).toBe("Nothing new");
    },
  );

  it.each(DECISIONS)("resolve $how keeps mine in the attic", async ({ how }) => {
    await dev.call(`conflicts resolve a.md ${how}`);
    const { data } = await dev.call("attic list a.md");
    const kept = (data as { texts: { path: string; why: string }[] }).texts;
    const texts = await Promise.all(kept.map(({ path }) => readFile(join(dev.stateFolder, "attic", path), "utf8")));
    expect(texts).toContain(MINE);
    expect(kept.map(({ why }) => why)).toContain("resolved");
  });

  it("resolve --text-file puts another text in place", async () => {
    const path = join(await tempDir(), "decided.md");
    await writeFile(path, memoryText("A", "Decided.").replaceAll("\n", "\r\n"));
    expect(await dev.call(`conflicts resolve a.md --text-file ${path}`)).toMatchObject({ exit: EXIT.ok });
    expect(await dev.read("a.md")).toBe(memoryText("A", "Decided."));
  });

  it("resolve --text-file refuses what could not be proposed, and leaves the conflict", async () => {
    const path = join(await tempDir(), "decided.md");
    await writeFile(path, "no frontmatter\n");
    expect((await dev.call(`conflicts resolve a.md --text-file ${path}`)).text).toContain("invalid_memory");
    expect((await dev.call("conflicts")).exit).toBe(EXIT.attention);
    expect(await dev.read("a.md")).toBe(THEIRS);
  });

  it("names what was parked before, too", async () => {
    await dev.write("a.md", memoryText("A", "First.\n\nMine again.\n\nThird."));
    service.memories.set("a.md", memoryText("A", "First.\n\nTheirs again.\n\nThird."));
    await dev.call("pull");
    expect((await dev.call("conflicts")).text).toContain("2 texts of yours wait");
    const { text, data } = await dev.call("conflicts show a.md");
    const [, earlier] = (data as { conflict: { parked: string[] } }).conflict.parked;
    expect(text).toContain("Mine again.");
    expect(await readFile(join(dev.stateFolder, "attic", earlier ?? ""), "utf8")).toBe(MINE);
  });

  it("of a memory that the team has removed since can still be decided, either way", async () => {
    service.memories.delete("a.md");
    await dev.call("pull");
    expect((await dev.call("conflicts")).text).toContain("the team has removed it since");
    await dev.call("conflicts resolve a.md --both");
    expect(await dev.read("a.md")).toBe(MINE);
  });

  it("keeps in the attic what was written in place before it was decided", async () => {
    const written = memoryText("A", "Written in place.");
    await dev.write("a.md", written);
    await dev.call("conflicts resolve a.md --mine");
    expect(await dev.read("a.md")).toBe(MINE);
    const { data } = await dev.call("attic list a.md");
    const paths = (data as { texts: { path: string }[] }).texts.map(({ path }) => path);
    const kept = await Promise.all(paths.map((path) => readFile(join(dev.stateFolder, "attic", path), "utf8")));
    expect(kept).toContain(written);
  });

  const WRONG = [
    { line: "conflicts resolve a.md", says: "Say one of" },
    { line: "conflicts resolve a.md --mine --theirs", says: "Say one of" },
    { line: "conflicts resolve", says: "Say which memory" },
    { line: "conflicts show", says: "Say which memory" },
    { line: "conflicts settle a.md", says: "No such conflicts command" },
    { line: "conflicts list a.md b.md", says: "Too many" },
    { line: "conflicts resolve a.md --text-file /nowhere/at-all.md", says: "No such file" },
    { line: "conflicts resolve a.md --edit", says: "no terminal" },
  ];

  it.each(WRONG)("$line: wrong use, and nothing is decided", async ({ line, says }) => {
    const { exit, text } = await dev.call(line);
    expect(exit).toBe(EXIT.usage);
    expect(text).toContain(says);
    expect((await dev.call("conflicts")).exit).toBe(EXIT.attention);
  });

  it("knows no conflict about other memories", async () => {
    expect((await dev.call("conflicts show b.md")).text).toContain("not_here");
    expect((await dev.call("conflicts resolve b.md --mine")).text).toContain("not_here");
  });

  describe("resolve --edit", () => {
    const isTTY = process.stdin.isTTY;

    beforeEach(() => {
      process.stdin.isTTY = true;
    });
    afterEach(() => {
      process.stdin.isTTY = isTTY;
    });

    it("opens mine in the editor that VISUAL names, options and all, and places what it leaves", async () => {
      const editor = await fakeEditor('test "$1" = --wait && sed -i s/Mine/Edited/ "$2"');
      expect(await dev.call("conflicts resolve a.md --edit", { editor: `${editor} --wait` })).toMatchObject({
        exit: 0,
      });
      expect(await dev.read("a.md")).toBe(MINE.replace("Mine", "Edited"));
    });

    it("shows mine, the team's and what both started from, none of them in place of another", async () => {
      const copy = join(await tempDir(), "copy");
      await dev.call("conflicts resolve a.md --edit", { editor: await fakeEditor(`cp "$1" ${copy}`) });
      const shown = await readFile(copy, "utf8");
      expect(shown.startsWith(MINE)).toBe(true);
      expect(shown).toContain(`the team's text, in place now ===\n\n${THEIRS}`);
      expect(shown).toContain(`what both started from ===\n\n${BASE}`);
      expect(shown).not.toMatch(/^(<{7}|={7}|>{7})/m);
    });

    it.each([
      ["only what is below the line was changed", "s/Theirs/Edited/", "not changed"],
      ["a line of ours was moved up", "1i === team-memory: the team's text", "A line of ours"],
      ["the line was taken out and what is below it left", "/make what stands/d", "A line of ours"],
      ["nothing is left above the line", "1,/===/{/===/!d}", "Nothing was left"],
    ])("refuses where %s, and puts nothing of ours in place", async (_what, script, says) => {
      const editor = await fakeEditor(`sed -i "${script}" "$1"`);
      const { exit, text } = await dev.call("conflicts resolve a.md --edit", { editor });
      expect([exit, text]).toEqual([EXIT.usage, expect.stringContaining(says)]);
      expect(await dev.read("a.md")).toBe(THEIRS);
    });

    it("takes the whole where the line and all below are gone, in any line ends", async () => {
      const editor = await fakeEditor(`sed -i -e "/make what stands/,\\$ d" -e s/Mine/Edited/ -e 's/$/\r/' "$1"`);
      expect((await dev.call("conflicts resolve a.md --edit", { editor })).exit).toBe(EXIT.ok);
      expect(await dev.read("a.md")).toBe(MINE.replace("Mine", "Edited"));
    });

    it("changes nothing where the editor gives up or is left without a change, or none is named", async () => {
      for (const editor of [await fakeEditor("exit 1"), await fakeEditor("exit 0")]) {
        expect((await dev.call("conflicts resolve a.md --edit", { editor })).exit).toBe(EXIT.usage);
      }
      expect((await dev.call("conflicts resolve a.md --edit", { editor: null })).text).toContain("VISUAL");
      expect(await dev.read("a.md")).toBe(THEIRS);
    });

    it("decides nothing where it was changed again meanwhile, and keeps what was typed", async () => {
      const [before, after] = [join(await tempDir(), "before"), join(await tempDir(), "after")];
      await cp(dev.stateFolder, before, { recursive: true });
      await dev.write("a.md", memoryText("A", "First.\n\nMine again.\n\nThird."));
      service.memories.set("a.md", memoryText("A", "First.\n\nTheirs again.\n\nThird."));
      await dev.call("pull");
      await rename(dev.stateFolder, after);
      await rename(before, dev.stateFolder);
      const editor = await fakeEditor(
        `sed -i s/Mine/Edited/ "$1"; rm -r ${dev.stateFolder}; mv ${after} ${dev.stateFolder}`,
      );
      const { text } = await dev.call("conflicts resolve a.md --edit", { editor });
      expect(text).toContain("changed it again meanwhile");
      const [path = ""] = /\/\S+memory\.md/.exec(text) ?? [];
      expect(await readFile(path, "utf8")).toContain("Edited.");
      expect(await dev.read("a.md")).toContain("Theirs again.");
      expect((await dev.call("conflicts")).exit).toBe(EXIT.attention);
    });

    it("keeps the scratch copy where what was typed is refused, and says where it is", async () => {
      const folder = await tempDir();
      const editor = await fakeEditor(`echo typed > "$1"; echo "$1" > ${folder}/path`);
      const { text } = await dev.call("conflicts resolve a.md --edit", { editor });
      const path = (await readFile(join(folder, "path"), "utf8")).trim();
      expect(text).toContain(path);
      expect(await readFile(path, "utf8")).toBe("typed\n");
      expect(await readdir(join(path, ".."))).toEqual(["memory.md"]);
    });

    async function fakeEditor(script: string): Promise<string> {
      const path = join(await tempDir(), "editor");
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o700);
      return path;
    }
  });
});
