import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { pruneAttic } from "../../../../client/sync/attic/prune-attic.ts";
import { openAttic } from "../../../../client/sync/state/attic.ts";
import { listAttic } from "../../../../client/sync/state/list-attic.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { type StubService, startStubService } from "../../stub-service.ts";
import { type Desk, makeDesk } from "../support.ts";

describe("pruneAttic", () => {
  let service: StubService;
  let desk: Desk;
  const DAY_MS = LIMITS.atticPruneIntervalMs;
  const LATER_MS = Date.now() + LIMITS.atticAgeMsMax + DAY_MS;

  beforeEach(async () => {
    service = await startStubService({ "a.md": memoryText("A"), "sub/b.md": memoryText("B") });
    desk = await makeDesk(service);
    await desk.pull();
  });

  it("takes away texts in their time and the folders that they leave empty, and nothing else", async () => {
    service.memories.set("sub/b.md", memoryText("B", "Newer."));
    await desk.pull();
    await desk.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await desk.pull();
    expect(paths()).toHaveLength(3);
    expect(pruneAttic(desk.context, LATER_MS).map(({ key }) => key)).toEqual(["sub/b.md"]);
    expect(desk.attic().join()).toContain("Mine.");
    expect(
      listAttic(desk.context.stateFolder)
        .map(({ why }) => why)
        .sort(),
    ).toEqual(["base", "conflict"]);
    expect(readdirSync(join(desk.context.stateFolder, "attic"))).toHaveLength(1);
  });

  it("keeps what came to light and is nowhere else, also where a pull made room", async () => {
    const attic = openAttic(desk.context.stateFolder, new Date(0));
    attic.put("x.md", Buffer.from("found\n"), "found");
    attic.put("a.md", Buffer.from(memoryText("A")), "found");
    attic.put("y.md", Buffer.from("replaced\n"), "replaced");
    utimesSync(join(desk.context.stateFolder, "pruned"), 0, 0);
    service.memories.delete("sub/b.md");
    await desk.pull();
    expect(desk.attic().sort()).toEqual([memoryText("B"), "found\n"]);
  });

  it("keeps what waits for a decision itself, newest and earlier, though copies of it lie elsewhere", async () => {
    for (const round of ["once", "twice"]) {
      await desk.write("a.md", memoryText("A", `Mine, ${round}.`));
      service.memories.set("a.md", memoryText("A", `Theirs, ${round}.`));
      await desk.pull();
    }
    const parked = listAttic(desk.context.stateFolder).filter(({ why }) => why === "conflict");
    const attic = openAttic(desk.context.stateFolder, new Date());
    for (const { path } of parked) {
      attic.put("x.md", readFileSync(join(desk.context.stateFolder, "attic", path)), "resolved");
    }
    expect(parked).toHaveLength(2);
    pruneAttic(desk.context, LATER_MS);
    expect(paths()).toEqual(expect.arrayContaining(parked.map(({ path }) => path)));
    expect(listAttic(desk.context.stateFolder).filter(({ why }) => why === "resolved")).toEqual([]);
  });

  it("lets go of what came to light where the team has it, however its lines end, or it is under review", async () => {
    await desk.write("mine.md", memoryText("Mine"));
    await desk.push();
    const attic = openAttic(desk.context.stateFolder, new Date(0));
    attic.put("served.md", Buffer.from(memoryText("A").replaceAll("\n", "\r\n")), "found");
    attic.put("sent.md", Buffer.from(memoryText("Mine")), "found");
    attic.put("nowhere.md", Buffer.from(memoryText("Nowhere")), "found");
    const leaving = pruneAttic(desk.context, Date.now() + DAY_MS);
    expect(leaving.map(({ key }) => key).sort()).toEqual(["sent.md", "served.md"]);
  });

  it("looks through it once a day", () => {
    openAttic(desk.context.stateFolder, new Date(0)).put("y.md", Buffer.from("replaced\n"), "replaced");
    expect(pruneAttic(desk.context, Date.now())).toEqual([]);
    expect(pruneAttic(desk.context, Date.now() + DAY_MS)).toHaveLength(1);
  });

  function paths(): string[] {
    return listAttic(desk.context.stateFolder).map(({ path }) => path);
  }
});
