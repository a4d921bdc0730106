import { setTimeout as sleep } from "node:timers/promises";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Forge } from "./forge.ts";
import type { ForgeDesk } from "./forge-desk.ts";
import { openPullRequestBook } from "./pull-request-book.ts";
import { openPasses } from "./pull-request-passes.ts";
import type { StepContext } from "./take-step.ts";

export interface DeskOptions extends Pick<StepContext, "reviewers" | "log"> {
  readonly forge: Forge;
  readonly lookIntervalMs?: number;
}

/** One pull request for each open proposal, kept in the background; and what others ask of them. */
export function openForgeDesk({ lookIntervalMs = LIMITS.forgeLookIntervalMs, ...options }: DeskOptions): ForgeDesk {
  const book = openPullRequestBook(options.forge);
  const passes = openPasses({ ...options, book, lookIntervalMs });
  const urlOf = (id: string) => book.requests.get(id)?.url ?? null;

  return {
    urlOf,
    start: passes.start,
    looked: passes.beginWhereDue,
    wake: () => {
      passes.expire();
      passes.begin();
    },
    stop: passes.stop,
    verdicts: async (open, gone) => {
      const all = [...open, ...gone];
      // Also before the start: a branch may have gone while no service ran.
      if (gone.length > 0 && !(await passes.tryLook({ listOpen: () => all, endOf: () => null }))) return null;
      const told = all.map(({ id }) => [id, book.verdictOf(id)] as const);
      return new Map(told.flatMap(([id, verdict]) => (verdict === null ? [] : [[id, verdict] as const])));
    },
    awaitUrl: async (id) => {
      passes.begin();
      const until = Date.now() + LIMITS.forgeOpenWaitMs;
      while (urlOf(id) === null && Date.now() < until && passes.isBusy()) await sleep(LIMITS.forgeUrlPollMs);
      return urlOf(id);
    },
    merge: async (id, merge) => {
      const number = book.requests.get(id)?.number;
      if (number === undefined)
        throw new TeamMemoryError("unavailable", `Proposal ${id} has no pull request yet: try again in a moment`);
      await options.forge.merge(number, merge);
      await passes.tryLook();
    },
  };
}
