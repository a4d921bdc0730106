import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openAttic } from "../../../client/sync/state/attic.ts";
import { removeKey, restoreKey } from "../../../client/sync/wish/edit-key.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { type Desk, deskWith, makeDesk } from "./support.ts";

const KEY = "deploys.md";
const SERVED = memoryText("Deploys", "From main.");
const LATE = memoryText("Deploys", "Written late, by who had it open.");

/** As `writeFileSync` opens a file, as `>>` does, and as an editor that writes in place. */
const WAYS = [
  ["emptied", "w"],
  ["appended to", "a"],
  ["written over", "r+"],
] as const;

describe.each(WAYS)("a writer who has opened a file to be %s", (_, flags) => {
  it("and writes after a pull has replaced it: the words are in the attic", async () => {
    const [desk, service] = await deskWith({ [KEY]: SERVED });
    const write = open(desk, KEY, flags);
    service.memories.set(KEY, memoryText("Deploys", "From tags."));
    await desk.pull();
    write(LATE);
    expect(await desk.read(KEY)).toContain("From tags.");
    await expectKept(desk);
  });

  it("and writes after a merge has replaced it: the words are in the attic", async () => {
    const [desk, service] = await deskWith({ [KEY]: SERVED });
    await desk.write(KEY, memoryText("Deploys", "From main.\n\nMine."));
    const write = open(desk, KEY, flags);
    service.memories.set(KEY, memoryText("Ships", "From main."));
    await desk.pull();
    write(LATE);
    await expectKept(desk);
  });

  it("and writes after the team has removed it: the words are in the attic", async () => {
    const [desk, service] = await deskWith({ [KEY]: SERVED, "other.md": SERVED });
    const write = open(desk, KEY, flags);
    service.memories.delete(KEY);
    await desk.pull();
    write(LATE);
    await expectKept(desk);
  });

  it("and writes after it was removed by name: the words are in the attic", async () => {
    const [desk] = await deskWith({ [KEY]: SERVED });
    const write = open(desk, KEY, flags);
    await removeKey(desk.context, sanitizePathKey(KEY));
    write(LATE);
    await expectKept(desk);
  });

  it("and has no share in later pulls: nothing of its way is left in the folder", async () => {
    const [desk, service] = await deskWith({ [KEY]: SERVED });
    const write = open(desk, KEY, flags);
    service.memories.set(KEY, memoryText("Deploys", "From tags."));
    await desk.pull();
    write(LATE);
    await desk.pull();
    expect(await readdir(desk.context.teamDir)).toEqual(["MEMORY.md", KEY]);
  });
});

it("a file that a writer has only emptied is nobody's text: `restore` brings back the one before it", async () => {
  const [desk] = await deskWith({ "other.md": SERVED });
  const { stateFolder } = desk.context;
  openAttic(stateFolder, new Date("2026-03-05T10:00:00Z")).put(KEY, Buffer.from(LATE), "removed");
  openAttic(stateFolder, new Date("2026-03-05T11:00:00Z")).put(KEY, Buffer.alloc(0), "written-meanwhile");
  await restoreKey(desk.context, sanitizePathKey(KEY));
  expect(await desk.read(KEY)).toBe(LATE);
});

it("a note that is written into an index emptied for it is in the attic, whenever it comes", async () => {
  const [desk, service] = await deskWith({ [KEY]: SERVED });
  const write = open(desk, "MEMORY.md", "w");
  service.memories.set("other.md", SERVED);
  await desk.pull();
  write("A note of mine.\n");
  expect(await desk.read("MEMORY.md")).toContain("other.md");
  expect(desk.attic().join()).toContain("A note of mine.");
});

it("a team folder on another disk than the state loses nothing that was there when it was replaced", async ({
  skip,
}) => {
  if (!existsSync("/dev/shm")) return skip("no second file system to write to is here");
  const state = await mkdtemp("/dev/shm/team-memory-");
  onTestFinished(() => rm(state, { recursive: true }));
  const service = await startStubService({ [KEY]: SERVED });
  const desk = await makeDesk(service, { stateFolder: join(state, "state") });
  await desk.pull();
  await desk.write(KEY, memoryText("Ours", "From main."));
  service.memories.set(KEY, memoryText("Theirs", "From main."));
  await desk.pull();
  expect(await desk.read(KEY)).toContain("Theirs");
  expect(desk.attic().join()).toContain("Ours");
  expect(await readdir(desk.context.teamDir)).toEqual(["MEMORY.md", KEY]);
});

/** Opens it now; what comes back writes there and closes. */
function open(desk: Desk, key: string, flags: string): (text: string) => void {
  const file = openSync(join(desk.context.teamDir, key), flags);
  return (text) => {
    writeSync(file, text);
    closeSync(file);
  };
}

async function expectKept(desk: Desk): Promise<void> {
  const keys = await desk.keys();
  const inPlace = await Promise.all(keys.map(desk.read));
  expect([...inPlace, ...desk.attic()].join()).toContain("Written late");
}
