/**
 * How a memory of one developer's agent reaches a teammate's: proposed, reviewed and merged with plain git. Each scene
 * runs what people would run, shows what they would see, and checks it.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { type Home, makeHome, writeMemory } from "../support/home.ts";
import { cloneMemory, joinByApi, type ReviewClone } from "../support/people.ts";
import { run } from "../support/run.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { readSessionStartHooks, startSession } from "../support/session-start.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";
import type { Transcript } from "./transcript.ts";

interface Cast {
  readonly transcript: Transcript;
  readonly service: RunningService;
  readonly ana: Home;
  readonly ben: Home;
  readonly rita: ReviewClone;
}

const KEY = "feedback_testing.md";
const NAME = "Real databases in tests";
const MEMORY = `---
name: ${NAME}
description: Integration tests run against a real PostgreSQL, never against mocks
type: feedback
---
Use the database from docker-compose in integration tests.

**Why:** a mocked migration passed and broke the release of 2026-03-05.

**How to apply:** whenever a test touches the store.
`;
const REJECTED_KEY = "project_coffee.md";
const REJECTED = `---
name: Coffee
description: The coffee machine on the third floor is broken
type: project
---
Use the one on the second floor.
`;
const SESSIONS_MAX = 3;
const REASON = "true today, stale tomorrow";

export async function playStory(transcript: Transcript, onEnd: OnEnd): Promise<void> {
  const service = await openService(transcript, onEnd);
  const cast = { transcript, service, ...(await gatherTeam(transcript, service, onEnd)) };
  await proposeMemory(cast);
  await reviewWithGit(cast);
  await startTeammatesSession(cast);
  await seeItMerged(cast);
  await rejectAnother(cast);
  await leaveTheTeam(cast);
}

async function openService(transcript: Transcript, onEnd: OnEnd): Promise<RunningService> {
  transcript.scene("The team starts the service");
  const service = await startService({ data: join(await scratchFolder(onEnd), "data"), onEnd });
  transcript.ran("team ", "npm start", withoutLogs(service.output()));
  transcript.check("it prints the one line that a teammate pastes", service.joinLine.includes("/client.tgz join "));
  transcript.check("it prints the address of the review repository", service.output().includes("/git/memory.git"));
  return service;
}

async function gatherTeam(transcript: Transcript, service: RunningService, onEnd: OnEnd) {
  transcript.scene("Ana and Ben join, each from an own clone of github.com/acme/shop");
  const ana = await makeHome({ onEnd, person: { name: "Ana", email: "ana@example.org" } });
  const https = "https://github.com/Acme/Shop.git";
  const ben = await makeHome({ onEnd, person: { name: "Ben", email: "ben@example.org" }, origin: https });
  await joinByLine(transcript, "ana  ", ana, service.joinLine);
  await joinByLine(
    transcript,
    "ben  ",
    ben,
    `npx -y ${service.url}/client.tgz join ${await invite(service, "contributor")}`,
  );
  const { token } = await joinByApi(service, "reviewer");
  const rita = await cloneMemory(service.url, token, onEnd);
  transcript.check("Rita, a reviewer, has a plain git clone of the memory repository", (await rita.git("log")) !== "");
  return { ana, ben, rita };
}

/** The line as it was printed, in a shell, with nothing installed before and no registry in reach. */
async function joinByLine(transcript: Transcript, who: string, home: Home, line: string): Promise<void> {
  const env = { ...home.env, npm_config_registry: "http://127.0.0.1:9/" };
  const { code, stdout, stderr } = await run("sh", ["-c", line], { cwd: home.clone, env });
  transcript.ran(who, line, stdout + stderr);
  transcript.check(
    "it joined the project of the clone's origin",
    code === 0 && stdout.includes("github.com/acme/shop"),
  );
  transcript.check("the session-start hook is in the host's settings", (await readSessionStartHooks(home)).length > 0);
}

async function proposeMemory({ transcript, service, ana }: Cast): Promise<void> {
  transcript.scene("Ana's agent writes a memory; a sync proposes it");
  await writeMemory(ana, KEY, MEMORY);
  transcript.ran("agent", `write team/${KEY}`, MEMORY);
  const { code } = await show(transcript, "ana  ", ana, "sync");
  transcript.check("the sync went well", code === 0);
  const status = await show(transcript, "ana  ", ana, "status");
  transcript.check("the status names the memory as proposed", /proposed/i.test(lineOf(status.stdout, KEY)));
  transcript.check("nobody else has it yet", !(await isServed(service, KEY)));
}

async function reviewWithGit({ transcript, service, rita }: Cast): Promise<void> {
  transcript.scene("Rita reviews it with the git that she has");
  const branch = await openBranch(rita);
  const log = await rita.git("log", "-p", `main..${branch}`);
  transcript.ran("rita ", `git fetch && git log -p main..${branch}`, log);
  transcript.check(
    "the branch says who wants the team to know what",
    log.includes("Ana") && log.includes(`+name: ${NAME}`),
  );
  const merged = await rita.git("merge", "--no-ff", "-m", "Agreed", branch);
  transcript.ran(
    "rita ",
    `git merge ${branch} && git push`,
    `${merged}\n${await rita.git("push", "-q", "origin", "main")}`,
  );
  transcript.check("the service serves it at once", await isServed(service, KEY));
}

async function startTeammatesSession({ transcript, ben }: Cast): Promise<void> {
  transcript.scene("Ben starts his next session; its hook runs before it");
  const { results, context } = await startFreshSession(transcript, ben);
  const isFast = results.every(({ code, elapsedMs }) => code === 0 && elapsedMs < LIMITS.hookTimeoutMs);
  transcript.check("every hook ended well and in time", isFast);
  transcript.check("the session is told of Ana's memory", context.includes(NAME));
  const text = await readFile(join(ben.teamDir, KEY), "utf8").catch(() => "");
  transcript.check("the file lies in Ben's memory directory, as Ana wrote it", text === MEMORY);
}

/** On a machine with no time to spare a session starts on the copy that is there and says so; the next one is fresh. */
async function startFreshSession(transcript: Transcript, ben: Home) {
  for (let sessions = 1; ; sessions += 1) {
    const session = await startSession(ben);
    transcript.ran("ben  ", "claude", session.context);
    if (session.context.includes(NAME) || sessions === SESSIONS_MAX) return session;
  }
}

async function seeItMerged({ transcript, ana }: Cast): Promise<void> {
  transcript.scene("Ana's next sync says that hers was merged");
  const { stdout } = await show(transcript, "ana  ", ana, "sync");
  const status = await show(transcript, "ana  ", ana, "status");
  transcript.check("it was said", /merged/i.test(`${stdout}${status.stdout}`));
  transcript.check("nothing is left to be proposed", !/proposed/i.test(lineOf(status.stdout, KEY)));
}

async function rejectAnother({ transcript, ana, ben, service }: Cast): Promise<void> {
  transcript.scene("Another memory is not for the team; its author is told why");
  await writeMemory(ana, REJECTED_KEY, REJECTED);
  await show(transcript, "ana  ", ana, "sync");
  const { code: joined } = await ben.client("join", await invite(service, "reviewer"));
  const listed = await show(transcript, "ben  ", ben, "review", "list");
  const id = /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(listed.stdout)?.[0] ?? "none";
  transcript.check("Ben, now a reviewer too, sees the proposal", joined === 0 && id !== "none");
  const closed = await show(transcript, "ben  ", ben, "review", "close", id, "--reason", REASON);
  transcript.check("he closed it", closed.code === 0);
  await show(transcript, "ana  ", ana, "sync");
  const status = await show(transcript, "ana  ", ana, "status");
  transcript.check("Ana's status shows the reason", status.stdout.includes(REASON));
  const kept = await readFile(join(ana.teamDir, REJECTED_KEY), "utf8");
  transcript.check("her text is still hers", kept === REJECTED);
}

async function leaveTheTeam({ transcript, ben }: Cast): Promise<void> {
  transcript.scene("Ben leaves; what the team gave him goes, what he wrote stays");
  await writeMemory(ben, REJECTED_KEY, REJECTED);
  transcript.ran("agent", `write team/${REJECTED_KEY}`, REJECTED);
  const { code } = await show(transcript, "ben  ", ben, "leave");
  transcript.check("leaving went well", code === 0);
  transcript.check("the hook is out of the host's settings", (await readSessionStartHooks(ben)).length === 0);
  const kept = await readFile(join(ben.teamDir, REJECTED_KEY), "utf8").catch(() => "");
  transcript.check("what he wrote and never proposed is still there", kept === REJECTED);
  const left = await readHome(ben);
  transcript.check("the team's copy is gone", !left.some((path) => path.endsWith(KEY)));
  transcript.check(
    "no config, token, state or client of it is left",
    !left.some((path) => path.includes("team-memory/")),
  );
}

/** Every file below his home, but for his clone and npm's own cache. */
async function readHome(home: Home): Promise<string[]> {
  const entries = await readdir(home.folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  return paths.map((path) => path.slice(home.folder.length)).filter((path) => !path.startsWith("/.npm/"));
}

async function show(transcript: Transcript, who: string, home: Home, ...args: readonly string[]) {
  const result = await home.client(...args);
  const words = args.map((word) => (word.includes(" ") ? `"${word}"` : word));
  transcript.ran(who, `team-memory ${words.join(" ")}`, result.stdout + result.stderr);
  return result;
}

async function openBranch(rita: ReviewClone): Promise<string> {
  await rita.git("fetch", "-q");
  const branches = await rita.git("branch", "-r", "--list", "origin/team-memory/*", "--no-merged", "origin/main");
  return branches.trim().split("\n")[0]?.trim() ?? "";
}

async function isServed(service: RunningService, key: string): Promise<boolean> {
  const { token } = await joinByApi(service, "reader", `Reader ${Date.now()}`);
  const url = `${service.url}/v1/projects/github.com~acme~shop/memories/${key}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  return answer.status === 200;
}

function lineOf(text: string, key: string): string {
  return text.split("\n").find((line) => line.includes(key)) ?? "";
}

function withoutLogs(output: string): string {
  return output
    .split("\n")
    .filter((line) => !line.startsWith("{"))
    .join("\n");
}
