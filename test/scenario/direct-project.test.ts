import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const ANA = { name: "Ana Author", email: "ana@example.org" };
const CAI = { name: "Cai Coder", email: "cai@example.org" };
const DEE = { name: "Dee Doer", email: "dee@example.org" };
const BEN = { name: "Ben Builder", email: "ben@example.org" };

async function joinAs(service: RunningService, person: typeof ANA, project: string): Promise<Home> {
  const origin = `git@github.com:acme/${project}.git`;
  const home = await makeHome({ onEnd: onTestFinished, person, origin });
  expect(await home.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
  return home;
}

async function mustSay(home: Home, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await home.client(...args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr });
  return stdout;
}

const read = ({ teamDir }: Home, key: string) => readFile(join(teamDir, key), "utf8").catch(() => null);

it("one project asks for no review, one does: two people at once, each hears what became of theirs", async () => {
  const args = ["--review-direct", "github.com/acme/notes"];
  const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished, args });
  const [ana, ben, shop] = [
    await joinAs(service, ANA, "notes"),
    await joinAs(service, BEN, "notes"),
    await joinAs(service, CAI, "shop"),
  ];
  await writeMemory(ana, "project_a.md", memoryText("A"));
  await writeMemory(ben, "project_b.md", memoryText("B"));
  await writeMemory(shop, "project_s.md", memoryText("S"));
  const [said] = await Promise.all([ana, ben, shop].map((home) => mustSay(home, "push")));
  expect(said).toMatch(/was merged/);
  expect(await mustSay(shop, "status")).toMatch(/project_s\.md/);

  for (const home of [ana, ben]) {
    await mustSay(home, "pull");
    expect(await read(home, "project_a.md")).toBe(memoryText("A"));
    expect(await read(home, "project_b.md")).toBe(memoryText("B"));
  }
  const other = await joinAs(service, DEE, "shop");
  await mustSay(other, "pull");
  expect(await read(other, "project_s.md")).toBeNull();

  await mustSay(ana, "rm", "project_b.md");
  await writeMemory(ana, "project_a.md", memoryText("A", "Second."));
  const mixed = await mustSay(ana, "push");
  expect(mixed).toMatch(/1 merged, the team has it now: project_a\.md\n1 proposed: project_b\.md/);
  await mustSay(ben, "pull");
  expect(await read(ben, "project_a.md")).toBe(memoryText("A", "Second."));
  expect(await read(ben, "project_b.md")).toBe(memoryText("B"));
  const status = await mustSay(ana, "status");
  expect(status).toMatch(/project_b\.md \(its removal for all/);
  expect(status).toMatch(/in sync +project_a\.md/);
});
