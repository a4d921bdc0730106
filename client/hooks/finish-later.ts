import { runDetached } from "./run-detached.ts";

/** Finishes a pull that had no time. */
export function finishLater(cwd: string): void {
  void runDetached(cwd, ["pull", "--json"]);
}
