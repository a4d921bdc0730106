import { lstatSync, realpathSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { codeOf } from "./disk-error.ts";

/**
 * A check of the disk is written once, as a generator that asks and is answered; these two run it, waiting or not. So the
 * asynchronous and the synchronous form cannot decide differently, and a test can answer for a disk that fails.
 */
export type Check<Result> = Generator<Question, Result, Answer>;
export type Question = { readonly ask: "lstat" | "realpath"; readonly path: string };
export type Answer = { readonly entry?: DiskEntry; readonly real?: string; readonly failure?: DiskFailure };
/** The part of a bigint stat that checks look at. */
export interface DiskEntry {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly uid: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}
export type DiskFailure = { readonly code: string; readonly cause: unknown };

export async function runCheck<Result>(check: Check<Result>): Promise<Result> {
  let step = check.next();
  while (!step.done) {
    const { ask, path } = step.value;
    const answer = ask === "lstat" ? lstat(path, { bigint: true }).then(toEntry) : realpath(path).then(toReal);
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
    return ask === "lstat" ? toEntry(lstatSync(path, { bigint: true })) : toReal(realpathSync.native(path));
  } catch (error) {
    return toFailure(error);
  }
}

const toEntry = (entry: DiskEntry): Answer => ({ entry });
const toReal = (real: string): Answer => ({ real });

function toFailure(cause: unknown): Answer {
  return { failure: { code: codeOf(cause), cause } };
}
