import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { OUTCOMES_HEADER } from "../../../shared/protocol/version.ts";
import type { ServiceAnswer } from "../../http/call-service.ts";
import { expectJson } from "../../http/expect-json.ts";
import { pruneAttic } from "../attic/prune-attic.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { takeUpLost } from "../push/take-up-lost.ts";
import { openAttic } from "../state/attic.ts";
import { emptyHead, type OpenedState, readState } from "../state/state.ts";
import { fetchMemories } from "./fetch-memories.ts";
import { parseOutcomes, parsePullResponse } from "./parse-pull-response.ts";
import type { PullOptions } from "./pull-options.ts";
import { joinReports, type PullReport } from "./report.ts";
import { type Answer, type Settled, type SettleRequest, settle } from "./settle.ts";
import { settleQuickly } from "./settle-quickly.ts";

/**
 * The rest of a pull, once there is something to do. What does not add up is asked for once more, whole; keys at which
 * somebody wrote meanwhile are planned again, a few times.
 */
export async function takeIn(context: SyncContext, options: PullOptions, answer: ServiceAnswer): Promise<PullReport> {
  const first = await takeInOnce(context, options, answer);
  let { report, carried } = first;
  for (let attempt = 1; carried.overtaken.length > 0 && attempt < LIMITS.placeAttemptsMax; attempt += 1) {
    const again = await settle(toRequest(context, options, { answer: null, state: openState(context) }));
    report = joinReports(report, again.report);
    carried = again.carried;
  }
  pruneAttic(context, Date.now());
  return report;
}

async function takeInOnce(context: SyncContext, options: PullOptions, answer: ServiceAnswer): Promise<Settled> {
  // Before the head is written anew, which would forget the proposal, too.
  await takeUpLost(context, options.timeoutMs);
  const state = openState(context);
  const parsed = answer.status === 304 ? null : parseAnswer(context, options, answer);
  try {
    return await settleEitherWay(toRequest(context, options, { answer: parsed, state }));
  } catch (error) {
    const code = isTeamMemoryError(error) ? error.code : null;
    if (code !== "bad_response" && code !== "state_damaged") throw error;
    return settleAnew(context, options, code === "state_damaged" ? forgetCopies(context, state) : state);
  }
}

async function settleEitherWay(request: SettleRequest): Promise<Settled> {
  const { answer } = request;
  return (answer === null ? null : settleQuickly({ ...request, answer })) ?? (await settle(request));
}

/** Everything, by one more request. @throws TeamMemoryError `bad_response` where that does not add up either */
async function settleAnew(context: SyncContext, options: PullOptions, state: OpenedState): Promise<Settled> {
  const whole = await fetchMemories(context, { ...state.head, revision: null, etag: null }, options);
  const answer = parseAnswer(context, options, whole);
  if (!answer.response.full)
    throw new TeamMemoryError("bad_response", "The service did not send everything when asked");
  return settle(toRequest(context, options, { answer, state }));
}

function openState(context: SyncContext): OpenedState {
  return readState(context.stateFolder, toWhere(context));
}

/** The attic, marks and outbox stay: only what was received is pulled anew. */
function forgetCopies(context: SyncContext, state: OpenedState): OpenedState {
  const { proposals } = state.head;
  return { ...state, head: { ...emptyHead(toWhere(context)), proposals }, isFirst: true };
}

function parseAnswer({ project }: SyncContext, { mayPlace }: PullOptions, answer: ServiceAnswer): Answer {
  const response = parsePullResponse(expectJson(answer), project);
  const memories = response.upserts.length + response.removals.length;
  if (mayPlace?.(memories) === false) {
    throw new TeamMemoryError("timeout", `Too much is new to be placed in time: ${memories} memories`);
  }
  const outcomes = parseOutcomes(answer.headers[OUTCOMES_HEADER]);
  return { response, etag: answer.headers.etag ?? null, outcomes };
}

type Round = Pick<SettleRequest, "answer" | "state">;

function toRequest(context: SyncContext, options: PullOptions, round: Round): SettleRequest {
  return {
    ...round,
    context,
    attic: openAttic(context.stateFolder, new Date()),
    acceptRemovals: options.acceptRemovals === true,
    progress: options.progress ?? (() => {}),
  };
}
