import { EXIT } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { CommandOptions } from "../command.ts";
import type { ClientEnvironment } from "../config.ts";
import { CLIENT_VERSION } from "../install/client-version.ts";
import { type FoundServices, findServices } from "../install/find-services.ts";
import { findVisibleProject, type VisibleProject } from "../install/find-visible-project.ts";
import { buildHookEntries, type HookEntries } from "../install/hook-entries.ts";
import {
  assertClientInstallable,
  installClient,
  installedClientPath,
  type RunningClient,
} from "../install/install-client.ts";
import { assertHooksInstallable, installHooks } from "../install/install-hooks.ts";
import type { JoinLink } from "../install/parse-join-link.ts";
import { type FirstPull, reportJoin } from "../install/report-join.ts";
import { assertStateWritable, settleState } from "../install/settle-state.ts";
import type { Io } from "../io.ts";
import { listNamedProjects } from "../memory/choose-project.ts";
import { type Located, locate } from "../memory/locate.ts";
import { pull } from "../sync/pull/pull.ts";
import { readUserConfig, type UserConfig, updateUserConfig } from "../user-config.ts";
import { openSync, toPullOptions } from "./open-sync.ts";
import { parseWish, type Wish } from "./parse-wish.ts";
import { toExitCode } from "./say-pull.ts";

/** Takes part in the project of this folder: with a link of its service, or at a service that is known already. */
export function join(options: CommandOptions, io: Io): Promise<number> {
  return joinAs({ file: process.argv[1] ?? "", version: CLIENT_VERSION }, options, io);
}

/**
 * An invite works once. So all that can be wrong on this machine is looked for before it is used, by doing it up to the
 * last step, and the token is on disk before anything else happens: whatever fails then, `join` without a link goes on
 * from there, and the error says so.
 *
 * @throws TeamMemoryError `usage`, `insecure_url`, `no_project`, `ambiguous_project`, `not_joined`, `not_found`,
 *   `invite_invalid`, `invite_elsewhere`, `identity_taken`, `state_moved`, `settings_invalid`, `steered_environment`,
 *   `disk`, and what the calls throw
 */
export async function joinAs(running: RunningClient, options: CommandOptions, io: Io): Promise<number> {
  const { env, cwd } = options;
  const wish = parseWish(options);
  const { located, candidates } = findProjects(options, wish);
  const joining = { running, options, wish, located, candidates, entries: toHookEntries(env) };
  await assertJoinable(joining);

  if (wish.link !== null) io.progress("Using the invite …");
  const found = await findServices({ env, cwd, candidates, ...wish });
  try {
    return await takePart(joining, found, io);
  } catch (error) {
    throw wish.link === null ? error : toGoOn(error, wish.link);
  }
}

interface Joining {
  readonly running: RunningClient;
  readonly options: CommandOptions;
  readonly wish: Wish;
  readonly located: Located;
  readonly candidates: readonly ProjectName[];
  readonly entries: HookEntries;
}

function toHookEntries(env: ClientEnvironment): HookEntries {
  return buildHookEntries({ platform: env.platform, node: process.execPath, client: installedClientPath(env) });
}

/** Throws what takePart would throw for what this machine is like. */
async function assertJoinable({ running, options: { env }, wish, located, entries }: Joining): Promise<void> {
  await assertClientInstallable(env, running);
  if (wish.isInstalling) await assertHooksInstallable(env, entries);
  if (located.memory.on) await assertStateWritable(located.stateFolder);
}

async function takePart(joining: Joining, { services, isInviteSpent }: FoundServices, io: Io): Promise<number> {
  const { running, options, wish, located, candidates, entries } = joining;
  const { env } = options;
  io.progress("Waiting for the service to look at the project …");
  const joined = await findVisibleProject(services, candidates);
  const where = { server: joined.service.url, project: joined.project };
  const cleared = await settleState(located, where, wish.choice);
  await updateUserConfig(env, (config) => ({
    ...withProject(config, { ...joined, root: wish.project && located.root }),
    ...wish.propose,
  }));
  const client = await installClient(env, running);
  const hooks = wish.isInstalling ? await installHooks(env, entries) : null;
  const pulled = located.memory.on ? await pullOnce(options, io) : NOT_PULLED;
  const { identity } = wish;
  reportJoin(io, { env, located, joined, isInviteSpent, identity, cleared, client, hooks, entries, pulled });
  return pulled.exit;
}

type Found = Pick<Joining, "located" | "candidates">;

/** Where nothing is installed yet, what helps is the line that was run, and a word behind it. */
function findProjects({ cwd, env }: CommandOptions, wish: Wish): Found {
  try {
    const located = locate({ cwd, env, ...(wish.project === null ? {} : { project: wish.project }) });
    return { located, candidates: listCandidates(located, wish, readUserConfig(env)) };
  } catch (error) {
    if (wish.link === null || !isTeamMemoryError(error)) throw error;
    const { code, message, details } = error;
    if (code !== "no_project" && code !== "ambiguous_project") throw error;
    const usage = `Name the project behind the line that you ran: ${toJoinCommand(wish.link.service)} LINK --project NAME`;
    throw new TeamMemoryError(code, message, { details: { usage, ...details }, cause: error });
  }
}

/** As a machine runs it that has nothing of ours yet. An invite's code is never in it. */
function toJoinCommand(service: string): string {
  return `npx -y ${service}/client.tgz join`;
}

/** Behind the invite: the same link would be refused now, and is not needed any more. */
function toGoOn(error: unknown, { service }: JoinLink): unknown {
  if (!isTeamMemoryError(error)) return error;
  const { code, message, details, row } = error;
  const usage = `${row.remedy}. The invite is used, and what it gave is kept: go on without the link: ${toJoinCommand(service)}`;
  return new TeamMemoryError(code, message, { details: { usage, ...details }, cause: error });
}

/** As the user says, now or once for this root; else what the remotes name. */
function listCandidates({ root, remotes }: Located, wish: Wish, config: UserConfig): readonly ProjectName[] {
  const said = wish.project ?? config.roots.find((entry) => entry.root === root)?.project;
  const candidates = said === undefined ? listNamedProjects(remotes) : [said];
  if (candidates.length > 0) return candidates;
  throw new TeamMemoryError("no_project", `Nothing says what project this folder is about: ${root}`);
}

/** A project has one service; one that held nothing else is forgotten with it. */
function withProject(config: UserConfig, joined: VisibleProject & { root: string | null }): UserConfig {
  const { project, service, root } = joined;
  const others = config.projects.filter((entry) => entry.project !== project);
  const former = config.projects.find((entry) => entry.project === project)?.service;
  const isNeeded = (url: string) => url !== former || others.some((entry) => entry.service === url);
  return {
    ...config,
    services: config.services.filter(({ url }) => url === service.url || isNeeded(url)),
    projects: [...others, { project, service: service.url }],
    roots: root === null ? config.roots : [...config.roots.filter((entry) => entry.root !== root), { root, project }],
  };
}

/** The first pull may fail without undoing that the project has been joined. */
async function pullOnce(options: CommandOptions, io: Io): Promise<FirstPull> {
  try {
    const report = await pull(openSync(options), { ...toPullOptions(io), timeoutMs: LIMITS.joinTimeoutMs });
    return { exit: toExitCode(report), report, error: null };
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    return { exit: error.row.exit, report: null, error };
  }
}

const NOT_PULLED: FirstPull = { exit: EXIT.ok, report: null, error: null };
