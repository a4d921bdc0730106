/**
 * Finishes a pull that had no time, in a process of its own: its own session and none of our streams, for the host waits
 * until nobody holds those any more, and ends what belongs to the hook.
 */
export function finishLater(cwd: string): void {
  const script = process.argv[1];
  if (script === undefined) return;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn(process.execPath, [...process.execArgv, script, "pull", "--json"], {
    cwd,
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {});
  child.unref();
}
