/**
 * Passes over the pull requests, one after the other: look at what the forge has, decide, do. Nothing is remembered that
 * the forge does not say again, so a process that is killed anywhere, or a second one beside it, does no harm.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isTeamMemoryError, type TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { DeskEngine } from "./forge-desk.ts";
import { type PullRequestStep, planPullRequests } from "./plan-pull-requests.ts";
import type { LookEngine, PullRequestBook } from "./pull-request-book.ts";
import { type StepContext, takeStep } from "./take-step.ts";

export interface PassesOptions extends Omit<StepContext, "engine"> {
  /** Between two looks that nothing has woken. */
  readonly lookIntervalMs: number;
}

export interface PullRequestPasses {
  start(of: DeskEngine): void;
  /** A pass that begins from now on, unless the forge has asked for patience. */
  begin(): void;
  /** The same, where there is something to do. */
  beginWhereDue(): void;
  /** What was known may be old. */
  expire(): void;
  /** In the way of others: not for long, and not at all costs. False: what is known may be old. */
  tryLook(of?: LookEngine): Promise<boolean>;
  /** A pass is under way. */
  isBusy(): boolean;
  stop(): Promise<void>;
}

export function openPasses(options: PassesOptions): PullRequestPasses {
  const { book, log } = options;
  /** What the forge would not do, in this process: not asked for again at each look. */
  const refused = new Set<string>();
  let engine: DeskEngine | null = null;
  let state: "idle" | "busy" | "wanted" | "stopped" = "idle";
  let running: Promise<void> = Promise.resolve();
  let isStale = true;
  let lookedAtMs = 0;
  let restUntilMs = 0;

  const isStopped = () => state === "stopped";
  const plan = (of: DeskEngine) => planFor(of, book).filter((step) => !refused.has(nameOf(step)));
  /** By the clock, where somebody says so, and before anything is done: never by what was known earlier. */
  const isDue = (of: DeskEngine) => isStale || Date.now() - lookedAtMs >= options.lookIntervalMs || plan(of).length > 0;

  /** Whoever begins one while one is under way gets another. */
  function begin(): void {
    if (state === "busy") state = "wanted";
    if (state !== "idle" || engine === null || Date.now() < restUntilMs) return;
    state = "busy";
    running = tryPass(engine).then(end);
  }

  function end(): void {
    const isWanted = state === "wanted";
    if (!isStopped()) state = "idle";
    if (isWanted) begin();
  }

  async function tryPass(of: DeskEngine): Promise<void> {
    try {
      await pass(of);
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      restUntilMs = toRestUntil(error);
      log.error({ err: error }, "The forge could not be looked at; pull requests stay as they are until it can be");
    }
  }

  async function pass(of: DeskEngine): Promise<void> {
    if (isDue(of)) await look(of);
    if (of.listOpen().some(({ id }) => isOver(book, id))) await of.refresh();
    for (const step of plan(of)) {
      if (isStopped()) return;
      const isDone = await tryStep({ ...options, engine: of }, step);
      if (!isDone) refused.add(nameOf(step));
    }
    book.forget(of);
  }

  async function look(of: LookEngine): Promise<void> {
    isStale = false;
    await book.look(of);
    lookedAtMs = Date.now();
  }

  return {
    begin,
    isBusy: () => state === "busy" || state === "wanted",
    beginWhereDue: () => {
      if (engine !== null && isDue(engine)) begin();
    },
    expire: () => {
      isStale = true;
    },
    tryLook: async (of = engine ?? NOBODY) => {
      try {
        const late = sleep(LIMITS.forgeVerdictWaitMs, false, { ref: false });
        return await Promise.race([look(of).then(() => true), late]);
      } catch (error) {
        if (!isTeamMemoryError(error)) throw error;
        log.error({ err: error }, "The forge could not be asked what became of a proposal");
        return false;
      }
    },
    start: (of) => {
      engine = of;
      begin();
    },
    stop: async () => {
      state = "stopped";
      await running;
    },
  };
}

const NOBODY: LookEngine = { listOpen: () => [], endOf: () => null };

function planFor(of: DeskEngine, { requests }: PullRequestBook): readonly PullRequestStep[] {
  return planPullRequests({ open: of.listOpen(), requests, endOf: of.endOf });
}

/** Merged or closed there, and open here still. */
function isOver({ requests }: PullRequestBook, id: string): boolean {
  return (requests.get(id)?.state ?? "open") !== "open";
}

/** What the forge refuses holds up nothing else; what it cannot do now, everything. */
async function tryStep(context: StepContext, step: PullRequestStep): Promise<boolean> {
  try {
    return await takeStep(context, step);
  } catch (error) {
    if (!isTeamMemoryError(error) || error.code === "remote_unreachable") throw error;
    context.log.error({ err: error, step: step.kind }, "The forge would not do this");
    return false;
  }
}

function toRestUntil({ details }: TeamMemoryError): number {
  const { retryAtMs } = details;
  return typeof retryAtMs === "number" ? retryAtMs : Date.now() + LIMITS.forgeFailureRestMs;
}

function nameOf(step: PullRequestStep): string {
  return step.kind === "open" ? `open ${step.id}` : `${step.kind} ${step.request.number}`;
}
