/**
 * The real client's process against the real service, killed at random moments of its syncs. After each kill every file
 * is old or new, never a mix; after one whole run the folder is the team's but for what was written here, which is
 * proposed, and nothing of the killed run lies about.
 */
import { join } from "node:path";
import { ulid } from "ulid";
import { findLeftovers, readTeamFiles } from "../scenario/team-files.ts";
import { CLIENT_BUNDLE, type Home, makeHome, writeMemory } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { joinByApi } from "../support/people.ts";
import { randomFrom } from "../support/random.ts";
import { run } from "../support/run.ts";
import { invite, type RunningService, startService, UNLIMITED } from "../support/service.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";
import { openProposalsApi, type ProposalsApi } from "./proposals-api.ts";

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly onEnd: OnEnd;
  /** Called after each kill. */
  readonly onKill?: (kills: number) => void;
}

export interface KillReport {
  readonly kills: number;
  /** What was found amiss, in words. */
  readonly problems: readonly string[];
}

interface Scene {
  readonly home: Home;
  readonly api: ProposalsApi;
  readonly random: (below: number) => number;
  /** Every text that ever stood for a key, newest last. */
  readonly texts: Map<string, string[]>;
  /** How long a sync takes when nobody kills it. */
  readonly lifeMs: number;
}

const TEAM_KEYS = ["team_a.md", "team_b.md", "deep/er/team_c.md", "team_d.md", "team_e.md"];
const OWN_KEYS = ["own_a.md", "own_b.md", "deep/own_c.md"];
const COMMANDS = ["sync", "sync", "pull", "push"];
/** Runs that end before they are killed count for nothing; more than this to one kill means that none is. */
const RUNS_PER_KILL_MAX = 20;

export async function killClients({ kills, seed, onEnd, onKill }: KillOptions): Promise<KillReport> {
  const scene = await openScene(seed, onEnd);
  const problems: string[] = [];
  let killed = 0;
  for (let runs = 0; killed < kills && runs < kills * RUNS_PER_KILL_MAX; runs += 1) {
    await changeBase(scene);
    await writeOwn(scene);
    const isKilled = await syncAndKill(scene);
    problems.push(...(await findTorn(scene)));
    if (!isKilled) continue;
    killed += 1;
    problems.push(...(await heal(scene)));
    onKill?.(killed);
  }
  return { kills: killed, problems };
}

async function openScene(seed: number, onEnd: OnEnd): Promise<Scene> {
  const data = join(await scratchFolder(onEnd), "data");
  const service = await startService({ data, onEnd, args: UNLIMITED });
  const home = await joinedHome(service, onEnd);
  const { token } = await joinByApi(service, "admin");
  const draw = randomFrom(seed);
  const random = (below: number) => Math.floor(draw() * below);
  const api = openProposalsApi(service.url, token, "github.com~acme~shop");
  const { elapsedMs } = await home.client("sync");
  return { home, api, random, texts: new Map(), lifeMs: elapsedMs };
}

async function joinedHome(service: RunningService, onEnd: OnEnd): Promise<Home> {
  const home = await makeHome({ onEnd });
  const { code, stdout, stderr } = await home.client("join", await invite(service, "contributor"));
  if (code !== 0) throw new Error(`join ended with ${code}:\n${stdout}${stderr}`);
  return home;
}

/** A teammate's proposal, merged; and now and then the one from here. */
async function changeBase(scene: Scene): Promise<void> {
  const { api, random } = scene;
  const open = await api.list();
  if (random(5) === 0) for (const { id } of open) await api.approve(id);
  const keys = TEAM_KEYS.filter(() => random(2) === 0);
  const blobs = await api.blobs();
  const changes = keys.map((key) => ({ key, baseBlob: blobs.get(key) ?? null, text: newText(scene, key) }));
  if (changes.length === 0) return;
  const id = ulid();
  await api.put(id, changes);
  await api.approve(id);
}

async function writeOwn(scene: Scene): Promise<void> {
  for (const key of OWN_KEYS.filter(() => scene.random(2) === 0)) {
    await writeMemory(scene.home, key, newText(scene, key));
  }
}

/** Long enough to be written in more than one piece. */
function newText({ texts, random }: Scene, key: string): string {
  const known = texts.get(key) ?? [];
  const text = memoryText(`${key} ${known.length + 1}`, `Line ${known.length + 1}\n`.repeat(1 + random(3_000)));
  texts.set(key, [...known, text]);
  return text;
}

/** False: it had ended before. */
async function syncAndKill({ home, random, lifeMs }: Scene): Promise<boolean> {
  const command = COMMANDS[random(COMMANDS.length)] ?? "sync";
  const timeoutMs = Math.ceil((0.3 + random(1_000) / 1_000) * lifeMs);
  const { signal } = await run(process.execPath, [CLIENT_BUNDLE, command], {
    cwd: home.clone,
    env: home.env,
    timeoutMs,
  });
  return signal === "SIGKILL";
}

async function findTorn({ home, texts }: Scene): Promise<string[]> {
  const files = await readMemories(home);
  return [...files].flatMap(([key, text]) => (texts.get(key)?.includes(text) === false ? [`torn: ${key}`] : []));
}

async function heal(scene: Scene): Promise<string[]> {
  const { home, api, texts } = scene;
  const { code, stderr } = await home.client("sync");
  const files = await readMemories(home);
  const base = await api.blobs();
  const proposed = (await api.list()).flatMap(({ changes }) => changes.map(({ key }) => key));
  const stale = [...texts].flatMap(([key, all]) => (files.get(key) === all.at(-1) ? [] : [`not the newest: ${key}`]));
  const known = [...files.keys()].filter((key) => !base.has(key) && !proposed.includes(key));
  const left = await findLeftovers(home);
  return [
    ...(code === 0 ? [] : [`the next run ended with ${code}: ${stderr}`]),
    ...stale,
    ...known.map((key) => `neither merged nor proposed: ${key}`),
    ...left.map((name) => `left over: ${name}`),
  ];
}

/** Memories by key: the index is none. */
async function readMemories(home: Home): Promise<Map<string, string>> {
  return new Map([...(await readTeamFiles(home))].filter(([path]) => path !== "MEMORY.md"));
}
