/**
 * The real service under load, killed at random moments of its life and of its start: on the repository in its own data
 * folder, or on one behind git's own HTTP backend. After each kill both repositories are sound; at the end every
 * acknowledged proposal is there, and every other one is there or not, never half.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { assertSound } from "../support/git.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { randomFrom } from "../support/random.ts";
import { killWhileStarting, type RunningService, startService, UNLIMITED } from "../support/service.ts";
import { type OnEnd, scratchFolder, withTeardown } from "../support/teardown.ts";
import { findAmiss } from "./kill-service-check.ts";
import { startLoad } from "./kill-service-load.ts";

export type RemoteKind = "embedded" | "http";

export interface KillServiceOptions {
  readonly kills: number;
  readonly seed: number;
  readonly remote: RemoteKind;
  /** Called after each kill. */
  readonly onKill?: (kills: number) => void;
}

export interface KillServiceReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** What was found amiss, in words. */
  readonly problems: readonly string[];
}

interface Scene {
  readonly service: RunningService;
  readonly args: readonly string[];
  readonly host: GitHost | null;
  readonly random: (below: number) => number;
  readonly onEnd: OnEnd;
  /** How long a start takes when nobody kills it. */
  readonly startMs: number;
}

/** Each team begins anew, so that what is looked at after each kill stays small. */
const KILLS_PER_TEAM = 50;
const LIFE_MS_MAX = 600;
const LOAD_MS_LAST = 500;
/** A long run leaves the machine to others. */
const START_TIMEOUT_MS = 180_000;

export async function killService({ kills, seed, remote, onKill }: KillServiceOptions): Promise<KillServiceReport> {
  const total = { kills: 0, acknowledged: 0, problems: [] as string[] };
  while (total.kills < kills) {
    const team = Math.min(KILLS_PER_TEAM, kills - total.kills);
    const random = toDraw(seed + total.kills);
    const report = await withTeardown((onEnd) =>
      killOneTeam({ kills: team, remote, random, onEnd, onKill: (killed) => onKill?.(total.kills + killed) }),
    );
    total.kills += report.kills;
    total.acknowledged += report.acknowledged;
    total.problems.push(...report.problems);
  }
  return total;
}

interface Team {
  readonly kills: number;
  readonly remote: RemoteKind;
  readonly random: (below: number) => number;
  readonly onEnd: OnEnd;
  readonly onKill: (kills: number) => void;
}

async function killOneTeam({ kills, remote, random, onEnd, onKill }: Team): Promise<KillServiceReport> {
  const scene = await openScene(remote, random, onEnd);
  const token = (await readFile(join(scene.service.data, "admin-token"), "utf8")).trim();
  const load = startLoad({ url: scene.service.url, token, random });
  const problems: string[] = [];
  let { service } = scene;
  let killed = 0;
  const afterKill = async () => {
    killed += 1;
    problems.push(...(await findDamage(scene)));
    onKill(killed);
  };
  while (killed < kills) {
    await sleep(random(LIFE_MS_MAX));
    await service.kill();
    await afterKill();
    if (killed < kills && random(4) === 0 && (await killStart(scene))) await afterKill();
    service = await restart(scene);
  }
  await sleep(LOAD_MS_LAST);
  const attempts = await load.stop();
  problems.push(...(await findAmiss(repositoryOf(scene), { url: service.url, token }, attempts)));
  if ((await service.stop()) !== 0) problems.push("the last stop did not end well");
  problems.push(...(await findDamage(scene)));
  return { kills: killed, acknowledged: attempts.filter(({ isAcknowledged }) => isAcknowledged).length, problems };
}

async function openScene(remote: RemoteKind, random: Scene["random"], onEnd: OnEnd): Promise<Scene> {
  const host = remote === "http" ? await startGitHost(onEnd) : null;
  const args = [...UNLIMITED, ...(host === null ? [] : ["--remote", host.url])];
  const startedAt = performance.now();
  const given = { args, onEnd, startTimeoutMs: START_TIMEOUT_MS };
  const service = await startService({ data: join(await scratchFolder(onEnd), "data"), ...given });
  return { service, args, host, random, onEnd, startMs: performance.now() - startedAt };
}

function toDraw(seed: number): Scene["random"] {
  const draw = randomFrom(seed);
  return (below) => Math.floor(draw() * below);
}

function restart({ service, args, onEnd }: Scene): Promise<RunningService> {
  const given = { args, onEnd, startTimeoutMs: START_TIMEOUT_MS };
  return startService({ data: service.data, port: portOf(service), ...given });
}

/** False: it was up before it could be killed. */
function killStart({ service, args, random, startMs }: Scene): Promise<boolean> {
  return killWhileStarting({ data: service.data, args, port: portOf(service) }, random(Math.ceil(startMs)));
}

function portOf({ url }: RunningService): number {
  return Number(new URL(url).port);
}

function repositoryOf({ host, service }: Scene): string {
  return host?.gitDir ?? service.gitDir;
}

/** Of every repository of the team, once the remote has ended what the dead service had begun. */
async function findDamage({ host, service }: Scene): Promise<string[]> {
  await host?.atRest();
  const gitDirs = host === null ? [service.gitDir] : [host.gitDir, ...(await listMirrors(service))];
  const problems: string[] = [];
  for (const gitDir of gitDirs) {
    await assertSound(gitDir).catch((error: unknown) => problems.push(`not sound: ${error}`));
  }
  return problems;
}

async function listMirrors({ data }: RunningService): Promise<string[]> {
  const folder = join(data, "remotes");
  return (await readdir(folder)).map((name) => join(folder, name, "memory.git"));
}
