/**
 * Runs a command of this client in a process of its own: its own session and none of our streams, for the host waits until
 * nobody holds those any more, and ends what belongs to the hook.
 *
 * @returns settles when that process has ended, well or not; whoever does not wait for it loses nothing
 */
export function runDetached(cwd: string, args: readonly string[]): Promise<void> {
  const script = process.argv[1];
  if (script === undefined) return Promise.resolve();
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    cwd,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.unref();
  return new Promise((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
}
