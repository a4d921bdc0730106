import { readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readMarks } from "../../../client/sync/state/marks-file.ts";
import { readConflicts, resolveConflict } from "../../../client/sync/wish/conflicts.ts";
import { removeKey } from "../../../client/sync/wish/edit-key.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Desk, deskWith } from "./support.ts";

const A = memoryText("A", "One.");
const MINE = memoryText("Mine");
const OTHER = memoryText("Other");

describe("the outbox is damaged while a proposal is open", () => {
  let desk: Desk;
  let service: StubService;
  let id: string;

  beforeEach(async () => {
    [desk, service] = await deskWith({ "a.md": A });
    await desk.write("mine.md", MINE);
    await desk.write("other.md", OTHER);
    await desk.push();
    id = service.puts[0]?.id ?? "";
    const path = join(desk.context.stateFolder, "outbox.json");
    truncateSync(path, Math.floor(statSync(path).size / 2));
  });

  it.each([
    ["pushed", () => desk.push()],
    ["pulled with something new, then pushed", () => pullSomething().then(() => desk.push())],
    ["pulled with nothing new, then pushed", () => desk.pull().then(() => desk.push())],
  ])("is proposed under the same id where it is %s: the same set again", async (_, run) => {
    await run();
    await desk.push();
    expect(service.puts.map((put) => put.id)).toEqual([id, id]);
    expect(service.puts[1]?.request.changes).toEqual(service.puts[0]?.request.changes);
    expect(service.puts[1]?.request.seq).toBeGreaterThan(service.puts[0]?.request.seq ?? 0);
  });

  it("brings back a file that is missing here, for its text stands in the proposal alone", async () => {
    await rm(join(desk.context.teamDir, "mine.md"));
    await pullSomething();
    expect(await desk.read("mine.md")).toBe(MINE);
    await desk.push();
    expect(service.puts.at(-1)).toMatchObject({ id, request: { changes: [{ key: "mine.md" }, { key: "other.md" }] } });
  });

  it("takes a reviewer's no for one: what was closed is not proposed again", async () => {
    const url = "http://stub/review";
    service.outcomes.set(id, { state: "closed", seq: 1, reason: "No", rejected: [], url });
    await desk.pull();
    expect((await desk.push()).kind).toBe("nothing");
    expect(service.puts).toHaveLength(1);
    expect(readMarks(desk.context.stateFolder).get("mine.md")?.rejected).toMatchObject({ reason: "No" });
  });

  it("forgets nothing, and sends nothing, while the service does not say what is in it", async () => {
    service.intercept = (request, response) =>
      request.method === "GET" && request.url?.includes("/proposals/") === true && Boolean(response.destroy());
    await expect(desk.push()).rejects.toMatchObject({ code: "unreachable" });
    await expect(pullSomething()).rejects.toMatchObject({ code: "unreachable" });
    expect(service.puts).toHaveLength(1);
    service.intercept = null;
    await desk.pull();
    await desk.push();
    expect(service.puts.map((put) => put.id)).toEqual([id, id]);
  });

  it("proposes anew what the service knows nothing of", async () => {
    service.puts.length = 0;
    expect((await desk.push()).kind).toBe("sent");
    expect(service.puts).toMatchObject([{ request: { changes: [{ key: "mine.md" }, { key: "other.md" }] } }]);
    expect(service.puts[0]?.id).not.toBe(id);
  });

  async function pullSomething() {
    service.memories.set("b.md", memoryText("B"));
    await desk.pull();
  }
});

describe("the marks are damaged while conflicts wait", () => {
  it("knows them all the same: what waits, what it started from, and what was decided", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": A, "c.md": A });
    for (const key of ["a.md", "b.md"]) {
      await desk.write(key, memoryText("A", `Mine of ${key}.`));
      service.memories.set(key, memoryText("A", "Theirs."));
    }
    await desk.pull();
    const before = readConflicts(desk.context);
    expect(before.map(({ key }) => key)).toEqual(["a.md", "b.md"]);
    await resolveConflict(desk.context, sanitizePathKey("b.md"), { kind: "theirs" });
    writeFileSync(join(desk.context.stateFolder, "marks.json"), '{"format":1,');
    for (const _ of ["while it is damaged", "once it is set aside"]) {
      expect(readConflicts(desk.context)).toEqual(before.slice(0, 1));
      expect((await desk.push()).kind).toBe("nothing");
    }
    service.memories.set("c.md", memoryText("A", "Newer."));
    await desk.pull();
    expect(readConflicts(desk.context)).toEqual(before.slice(0, 1));
    await resolveConflict(desk.context, sanitizePathKey("a.md"), { kind: "mine" });
    expect(readConflicts(desk.context)).toEqual([]);
    expect((await desk.push()).keys).toEqual(["a.md"]);
  });
});

describe("the marks are damaged", () => {
  const damage = ({ context }: Desk) => writeFileSync(join(context.stateFolder, "marks.json"), "{");

  it("what a reviewer refused, and what the team removed of what was edited here, is not proposed by itself", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "e.md": A });
    await desk.write("e.md", memoryText("A", "Mine."));
    await desk.write("refused.md", MINE);
    await desk.push();
    const id = service.puts[0]?.id ?? "";
    service.outcomes.set(id, { state: "closed", seq: 1, reason: "No", rejected: [], url: "http://stub/review" });
    service.memories.delete("e.md");
    await desk.pull();
    expect((await desk.push()).kind).toBe("nothing");
    damage(desk);
    expect((await desk.push()).kind).toBe("nothing");
    await desk.pull();
    expect((await desk.push()).kind).toBe("nothing");
    expect(service.puts).toHaveLength(1);
    expect(await desk.keys()).toEqual(["a.md", "e.md", "refused.md"]);
    expect((await desk.push("refused.md")).keys).toEqual(["refused.md"]);
  });

  it("a removal that is under review goes on: the file is not brought back, and the proposal is not withdrawn", async () => {
    const [desk, service] = await deskWith({ "a.md": A, "b.md": A });
    await removeKey(desk.context, sanitizePathKey("a.md"));
    await desk.push();
    damage(desk);
    service.memories.set("c.md", OTHER);
    await desk.pull();
    expect(await desk.keys()).toEqual(["b.md", "c.md"]);
    expect((await desk.push()).kind).toBe("unchanged");
    expect(service.puts).toHaveLength(1);
  });

  it("a conflict is known also once the damaged file is thrown away", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await desk.pull();
    damage(desk);
    await desk.push();
    for (const name of readdirSync(desk.context.stateFolder).filter((file) => file.includes("damaged"))) {
      await rm(join(desk.context.stateFolder, name));
    }
    expect(readConflicts(desk.context).map(({ key }) => key)).toEqual(["a.md"]);
  });

  it("a proposal that is open stays what it is", async () => {
    const [desk, service] = await deskWith({ "a.md": A });
    await desk.write("mine.md", MINE);
    await desk.push();
    damage(desk);
    expect(await desk.push()).toMatchObject({ kind: "unchanged", keys: ["mine.md"] });
    expect(service.puts).toHaveLength(1);
  });
});
