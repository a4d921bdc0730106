import type { BigIntStats } from "node:fs";
import { lstatSync, realpathSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";

/**
 * A check of the disk is written once, as a generator that asks and is answered; these two run it, waiting or not. So the
 * asynchronous and the synchronous form cannot decide differently, and a test can answer for a disk that fails.
 */
export type Check<Result> = Generator<Question, Result, Answer>;
export type Question = { readonly ask: "lstat" | "realpath"; readonly path: string };
export type Answer = { readonly stats?: BigIntStats; readonly real?: string; readonly failure?: DiskFailure };
export type DiskFailure = { readonly code: string; readonly cause: unknown };

export async function runCheck<Result>(check: Check<Result>): Promise<Result> {
  let step = check.next();
  while (!step.done) {
    const { ask, path } = step.value;
    const answer = ask === "lstat" ? lstat(path, { bigint: true }).then(toStats) : realpath(path).then(toReal);
    step = check.next(await answer.catch(toFailure));
  }
  return step.value;
}

export function runCheckSync<Result>(check: Check<Result>): Result {
  let step = check.next();
  while (!step.done) step = check.next(answerSync(step.value));
  return step.value;
}

function answerSync({ ask, path }: Question): Answer {
  try {
    return ask === "lstat" ? toStats(lstatSync(path, { bigint: true })) : toReal(realpathSync.native(path));
  } catch (error) {
    return toFailure(error);
  }
}

const toStats = (stats: BigIntStats): Answer => ({ stats });
const toReal = (real: string): Answer => ({ real });

function toFailure(cause: unknown): Answer {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "UNKNOWN";
  return { failure: { code, cause } };
}
