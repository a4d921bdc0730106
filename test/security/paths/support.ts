import { chownSync } from "node:fs";

const NOBODY = 65_534;

/** Whether this process may become another user for a moment: tests of denied folders prove nothing as root. */
export const isRoot = process.geteuid?.() === 0;

/** Runs `act` without root's rights; as an ordinary user simply runs it. */
export async function unprivileged<Result>(act: () => Result | Promise<Result>): Promise<Result> {
  if (!isRoot) return act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}

/** Gives paths to the user as whom `unprivileged` runs. */
export function giveAway(...paths: readonly string[]): void {
  if (isRoot) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}
