import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ulid } from "ulid";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ErrorCode } from "../../shared/errors/codes.ts";
import { giveAway, mayMount, unprivileged } from "../security/paths/support.ts";
import { assertSound, git } from "../support/git.ts";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories, type ReviewClone } from "../support/people.ts";
import { randomFrom } from "../support/random.ts";
import type { RunResult } from "../support/run.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { openTeardown, scratchFolder } from "../support/teardown.ts";
import { tempDir } from "../support/temp-dir.ts";
import { listAll, lockFolders, mountDisk } from "./small-disk.ts";
import { findLeftovers, readTeamFiles } from "./team-files.ts";

const PROPOSAL = { id: ulid(), path: "/v1/projects/github.com~acme~shop/proposals" };
const FIRST = { "feedback_first.md": memoryText("First") };
/** A megabyte that does not compress away. */
const MANY = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`many/project_${at}.md`, longText(at)]));

/** What a client writes to, by the folder that has to be small or locked. */
const PLACES = [
  { where: "memory directory", of: ({ teamDir }: Home) => dirname(teamDir) },
  { where: "state folder", of: ({ folder }: Home) => join(folder, ".local/state/team-memory") },
];

describe.skipIf(!mayMount)("on a full disk (needs the right to mount)", () => {
  it.each(PLACES)("a pull says so of the $where, changes nothing, and heals when there is room", async ({ of }) => {
    const { home, link, merge } = await openProject();
    await mkdir(of(home), { recursive: true });
    const disk = await mountDisk(of(home), 600, onTestFinished);
    expect(await home.client("join", link)).toMatchObject({ code: 0 });
    await merge();
    await expectRefused(home, await home.client("pull"), "disk_full");
    await disk.grow();
    await expectHealed(home, await home.client("pull"));
  });

  it("the service refuses a proposal whole, serves what it has, and takes it when there is room", async () => {
    const data = await tempDir();
    const disk = await mountDisk(data, 8 * 1024, onTestFinished);
    const service = await startService({ data, onEnd: onTestFinished });
    await disk.fill();
    await expectProposalRefused(service, "disk_full", 507);
    await disk.relieve();
    await expectProposalTaken(service);
  });

  it("of the service a client keeps what it could not propose, and proposes it when there is room", async () => {
    const data = await tempDir();
    const disk = await mountDisk(data, 8 * 1024, onTestFinished);
    const service = await startService({ data, onEnd: onTestFinished });
    const home = await makeHome({ onEnd: onTestFinished });
    expect(await home.client("join", service.link)).toMatchObject({ code: 0 });
    await writeMemory(home, "feedback_mine.md", memoryText("Mine"));
    await disk.fill();
    const { code, stdout, stderr } = await home.client("sync");
    expect([code, stdout + stderr]).toEqual([8, expect.stringContaining("disk_full")]);
    expect(await readMemories(home)).toEqual({ "feedback_mine.md": memoryText("Mine") });
    await disk.relieve();
    expect(await home.client("sync")).toMatchObject({ code: 0 });
    expect(await findBranches(service)).toMatch(/^refs\/heads\/team-memory\/\w{26}$/);
  });
});

describe("without the right to write", () => {
  it.each(PLACES)("a pull says so of the $where, changes nothing, and heals when it may", async ({ of }) => {
    const { home, link, merge } = await openProject();
    giveAway(...(await listAll(home.folder)));
    const client = (...args: readonly string[]) => unprivileged(() => home.client(...args));
    expect(await client("join", link)).toMatchObject({ code: 0 });
    await merge();
    const unlock = await lockFolders(of(home), onTestFinished);
    await expectRefused(home, await client("pull"), "disk");
    await unlock();
    await expectHealed(home, await client("pull"));
  });

  it("the service refuses a proposal whole, and takes it when it may", async () => {
    const data = await tempDir();
    giveAway(data);
    const service = await unprivileged(() => startService({ data, onEnd: onTestFinished }));
    const unlock = await lockFolders(join(service.gitDir, "objects"), onTestFinished);
    await expectProposalRefused(service, "disk", 500);
    await unlock();
    await expectProposalTaken(service);
  });
});

let team: { readonly service: RunningService; readonly rita: ReviewClone };
let projects = 0;

const teardown = openTeardown();
afterAll(teardown.end);

beforeAll(async () => {
  const { onEnd } = teardown;
  const service = await startService({ data: join(await scratchFolder(onEnd), "data"), onEnd });
  const { token } = await joinByApi(service, "reviewer");
  team = { service, rita: await cloneMemory(service.url, token, onEnd) };
});

/** A project of its own with one memory, and somebody who is about to join it. */
async function openProject() {
  const number = projects++;
  const name = `acme/shop-${number}`;
  const merge = (files: Readonly<Record<string, string>>) => pushMemories(team.rita, `github.com/${name}`, files);
  await merge(FIRST);
  const person = { name: `Developer ${number}`, email: `developer-${number}@example.org` };
  const home = await makeHome({ onEnd: onTestFinished, person, origin: `git@github.com:${name}.git` });
  return { home, link: await invite(team.service, "contributor"), merge: () => merge(MANY) };
}

async function expectRefused(home: Home, { code, stderr }: RunResult, expected: ErrorCode): Promise<void> {
  expect([code, stderr]).toEqual([8, expect.stringContaining(`(${expected})`)]);
  expect(await readMemories(home)).toEqual(FIRST);
  expect(await findLeftovers(home)).toEqual([]);
}

async function expectHealed(home: Home, result: RunResult): Promise<void> {
  expect(result).toMatchObject({ code: 0 });
  expect(await readMemories(home)).toEqual({ ...FIRST, ...MANY });
  expect(await findLeftovers(home)).toEqual([]);
}

/** All but the index, which only has to fit. */
async function readMemories(home: Home): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries([...(await readTeamFiles(home))].filter(([path]) => path !== "MEMORY.md"));
}

async function propose(service: RunningService): Promise<Response> {
  const token = (await readFile(join(service.data, "admin-token"), "utf8")).trim();
  const changes = Object.entries(MANY).map(([key, text]) => ({ key, baseBlob: null, text }));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ seq: 1, changes });
  return fetch(`${service.url}${PROPOSAL.path}/${PROPOSAL.id}`, { method: "PUT", headers, body });
}

async function expectProposalRefused(service: RunningService, code: ErrorCode, status: number): Promise<void> {
  const answer = await propose(service);
  expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }]);
  expect(await findBranches(service)).toEqual("");
  expect((await listAll(service.gitDir)).filter((path) => /\.lock$|\.tmp|\/tm-/.test(path))).toEqual([]);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
}

async function expectProposalTaken(service: RunningService): Promise<void> {
  expect((await propose(service)).status).toBe(201);
  expect(await findBranches(service)).toBe(`refs/heads/team-memory/${PROPOSAL.id}`);
  await assertSound(service.gitDir);
}

function findBranches({ gitDir }: RunningService): Promise<string> {
  return git("/", ["--git-dir", gitDir, "for-each-ref", "--format=%(refname)", "refs/heads/team-memory"]);
}

function longText(seed: number): string {
  const random = randomFrom(seed);
  const word = () => Math.floor(random() * 36 ** 5).toString(36);
  const words = Array.from({ length: 5_000 }, (_, at) => (at % 12 === 11 ? `${word()}\n` : word()));
  return memoryText(`Long ${seed}`, words.join(" "), "project");
}
