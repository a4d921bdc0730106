import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Called, type Developer, startWork } from "./support.ts";

const [FIRST, SECOND, THIRD] = ["First.", "Second.", "Third."].map((body) => memoryText("A", body)) as [
  string,
  string,
  string,
];
const GONE = memoryText("B", "Gone.");

describe("attic", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": FIRST, "sub/b.md": GONE });
    service.memories.set("a.md", SECOND);
    await dev.call("pull");
    service.memories.set("a.md", THIRD);
    service.memories.delete("sub/b.md");
    await dev.call("pull");
  });

  it("restores the text of a number, as show takes one", async () => {
    expect(await dev.call("attic restore 3")).toMatchObject({ exit: EXIT.ok, data: { key: "a.md" } });
    expect(await dev.read("a.md")).toBe(FIRST);
    expect((await dev.call("attic restore 99")).text).toBe("The attic has no such text: 99 (not_here)");
  });

  it("lists every text that was replaced, newest first, by number, and prints none", async () => {
    const listed = await dev.call("attic");
    expect(listed.exit).toBe(EXIT.ok);
    expect(rowsOf(listed).map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(rowsOf(listed).map(({ key, why }) => `${why} ${key}`)).toEqual([
      "removed sub/b.md",
      "replaced a.md",
      "replaced a.md",
    ]);
    for (const word of ["First.", "Second.", "Gone."]) {
      expect(listed.text).not.toContain(word);
      expect(JSON.stringify(listed.data)).not.toContain(word);
    }
  });

  it("lists one memory's texts under the numbers that they have among all", async () => {
    expect(rowsOf(await dev.call("attic list a.md")).map(({ number }) => number)).toEqual([2, 3]);
    expect((await dev.call("attic list c.md")).text).toBe("Nothing of c.md was replaced here");
  });

  it("shows a text by its number and by its path", async () => {
    expect((await dev.call("attic show 3")).data).toMatchObject({ key: "a.md", text: FIRST });
    const [, second] = rowsOf(await dev.call("attic"));
    expect((await dev.call(`attic show ${second?.path}`)).data).toMatchObject({ text: SECOND });
  });

  it("restores the newest text of a memory, or the one of that number, to be proposed; what lay there is kept", async () => {
    expect(await dev.call("attic restore a.md")).toMatchObject({ exit: EXIT.ok });
    expect(await dev.read("a.md")).toBe(SECOND);
    const [{ number } = { number: 0 }] = rowsOf(await dev.call("attic list a.md")).slice(-1);
    await dev.call(`attic restore a.md --at ${number}`);
    expect(await dev.read("a.md")).toBe(FIRST);
    await dev.call("push");
    expect(service.puts.at(-1)?.request.changes).toMatchObject([{ key: "a.md", text: FIRST }]);
    expect(await textsOf(dev)).toEqual(expect.arrayContaining([FIRST, SECOND, THIRD, GONE]));
  });

  it("says of a restored text what lay in its place, and whether there is anything to propose", async () => {
    const restore = async (at: number) => (await dev.call(`attic restore a.md --at ${at}`)).text.split("\n");
    const proposed = "The next sync proposes that to the team; at once: team-memory push a.md";
    const kept = "What lay there is kept: team-memory attic list a.md";
    expect(await restore(2)).toEqual(["In place: a.md", kept, proposed]);
    expect(await restore(3)).toEqual(["This text lies there already: a.md", proposed]);
    const isReviewed = "It is the team's text, so there is nothing to propose";
    expect(await restore(1)).toEqual(["In place: a.md", kept, isReviewed]);
    await dev.remove("a.md");
    expect(await restore(2)).toEqual(["In place: a.md", isReviewed]);
  });

  it("restores a memory that the team has removed, on purpose, and lists it as not yet reviewed", async () => {
    await dev.call("attic restore sub/b.md");
    expect(await dev.read("sub/b.md")).toBe(GONE);
    expect(await dev.read("MEMORY.md")).toMatch(/Not yet reviewed[\s\S]*\(sub\/b\.md\)/);
    await dev.call("push");
    expect(service.puts.at(-1)?.request).toMatchObject({
      changes: [{ key: "sub/b.md", text: GONE }],
      restore: ["sub/b.md"],
    });
    expect((await dev.call("pull")).text).toBe("Nothing new");
  });

  const WRONG = [
    { line: "attic show", says: "usage" },
    { line: "attic show 9", says: "not_here" },
    { line: "attic show ../../outbox.json", says: "not_here" },
    { line: "attic restore", says: "usage" },
    { line: "attic restore c.md", says: "not_here" },
    { line: "attic restore a.md --at 1", says: "not_here" },
    { line: "attic restore ../a.md", says: "path_traversal" },
    { line: "attic list ../a.md", says: "path_traversal" },
    { line: "attic list a.md b.md", says: "usage" },
    { line: "attic burn a.md", says: "usage" },
  ];

  it.each(WRONG)("$line: refused, and nothing is moved", async ({ line, says }) => {
    expect((await dev.call(line)).text).toContain(`(${says})`);
    expect(await dev.read("a.md")).toBe(THIRD);
  });
});

interface Row {
  readonly number: number;
  readonly key: string;
  readonly why: string;
  readonly path: string;
}

function rowsOf({ data }: Called): Row[] {
  return (data as { texts: Row[] }).texts;
}

async function textsOf(dev: Developer): Promise<string[]> {
  const rows = rowsOf(await dev.call("attic"));
  return Promise.all(rows.map(({ path }) => readFile(join(dev.stateFolder, "attic", path), "utf8")));
}
