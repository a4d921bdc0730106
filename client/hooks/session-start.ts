import { mkdirSync } from "node:fs";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toVisibleLine } from "../../shared/memory/invisible-characters.ts";
import type { CommandOptions } from "../command.ts";
import { locate } from "../memory/locate.ts";
import { processStartedAtMs, sinceStartMs } from "../process-clock.ts";
import { type SyncContext, toSyncContext } from "../sync/context.ts";
import { pull } from "../sync/pull/pull.ts";
import type { PullReport } from "../sync/pull/report.ts";
import { readCheckedAtMs } from "../sync/state/freshness.ts";
import { readCachedIndex } from "../sync/state/index-cache.ts";
import { finishLater } from "./finish-later.ts";
import { eventFolder } from "./hook-event.ts";
import { readHookEvent } from "./read-hook-event.ts";
import { cutLine, toSessionNews } from "./session-news.ts";
import { toStateText } from "./session-state.ts";
import { type Part, toSessionText } from "./session-text.ts";
import { describeWaiting } from "./session-waiting.ts";
import { toFailure } from "./to-failure.ts";

/**
 * Before a session starts: pull within the cap, then tell the session what the team knows, from the fresh copy or from the
 * last good one. Whatever happens, the session starts, on time; all times count from the start of this process.
 */
export async function sessionStart(options: CommandOptions, input: NodeJS.ReadStream): Promise<string> {
  const cwd = eventFolder(await readHookEvent(input, INPUT_TIMEOUT_MS)) ?? options.cwd;
  const context = open(options, cwd);
  if (context === null || typeof context === "string") return toOutput(context ?? "");
  makeTeamDir(context.teamDir);
  const { report, failure } = await pullInTime(context, cwd);
  const facts = {
    project: context.project,
    teamDir: context.teamDir,
    state: toStateText(failure, findCheckedAtMs(context.stateFolder), Date.now()),
    waiting: await describeWaiting(context),
    news: toSessionNews(report, failure),
    index: readCachedIndex(context.stateFolder)?.text ?? null,
  };
  return toOutput(toSessionText(facts, toPart(options.values["part"])));
}

/** Standard input is there when the process is; a host that keeps it open says no more. */
const INPUT_TIMEOUT_MS = 250;
/** For printing what there is. */
const RESERVE_MS = 150;

/** The context; a line for the session where we refuse to run; null where team memory is not for this session. */
function open({ env, cwd: ownCwd }: CommandOptions, cwd: string): SyncContext | string | null {
  try {
    const located = locate({ cwd, env, hostCwd: env.claude.projectDir ?? ownCwd });
    const isOurs = located.memory.on && located.project !== null && located.service !== null;
    return isOurs ? toSyncContext(located) : null;
  } catch (error) {
    const { code, message, row } = toFailure(error);
    return `Team memory is not available in this session: ${cutLine(toVisibleLine(message))} (${code}). ${row.remedy}`;
  }
}

/** Files are written there later by whoever finds a folder; a link in its place is for the pull to refuse. */
function makeTeamDir(teamDir: string): void {
  try {
    mkdirSync(teamDir, { recursive: true, mode: 0o700 });
  } catch {
    // The pull says why.
  }
}

interface Outcome {
  readonly report: PullReport | null;
  readonly failure: TeamMemoryError | null;
}

async function pullInTime(context: SyncContext, cwd: string): Promise<Outcome> {
  const leftMs = () => LIMITS.hookTimeoutMs - RESERVE_MS - sinceStartMs();
  const options = {
    // Of several at once, one's request is for all, also where this process began a moment after it.
    askedAtMs: processStartedAtMs() - LIMITS.startedTogetherMs,
    lockWaitMs: leftMs(),
    timeoutMs: Math.min(LIMITS.hookPullTimeoutMs, leftMs() - RESERVE_MS),
    mayPlace: (memories: number) => memories * LIMITS.placeMsPerMemory < leftMs(),
  };
  const outcome = await Promise.race([attempt(context, options), tooLate(leftMs())]);
  if (outcome.failure?.code === "timeout") finishLater(cwd);
  return outcome;
}

async function attempt(...args: Parameters<typeof pull>): Promise<Outcome> {
  try {
    return { report: await pull(...args), failure: null };
  } catch (error) {
    return { report: null, failure: toFailure(error) };
  }
}

/** The last resort: every wait above has its own bound. */
function tooLate(timeoutMs: number): Promise<Outcome> {
  const failure = new TeamMemoryError("timeout", "The pull took too long");
  return new Promise((resolve) => setTimeout(() => resolve({ report: null, failure }), Math.max(0, timeoutMs)));
}

/** Null also where the state cannot be looked at: the pull has failed by that, and says so. */
function findCheckedAtMs(stateFolder: string): number | null {
  try {
    return readCheckedAtMs(stateFolder);
  } catch {
    return null;
  }
}

function toPart(value: unknown): Part {
  if (value === "1") return 1;
  return value === "2" ? 2 : "only";
}

/** Nothing to say is an empty object: the host takes it for an answer. */
function toOutput(additionalContext: string): string {
  if (additionalContext === "") return "{}";
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } });
}
