import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment: nothing of the test runner's own leaks in. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
}

export interface RunResult {
  /** Exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly elapsedMs: number;
}

const TIMEOUT_MS = 60_000;

/** Runs a program to its end, and kills it past its time. Rejects only where it cannot be started. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd: options.cwd, env: { ...options.env }, stdio: "pipe" });
  const killer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? TIMEOUT_MS);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(killer);
      resolve({ code, signal, ...texts(stdout, stderr), elapsedMs: performance.now() - startedAt });
    });
  });
}

/** The same, for steps that must succeed: anything but exit 0 throws with what the program printed. */
export async function mustRun(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const result = await run(command, args, options);
  if (result.code === 0) return result;
  const ending = result.signal ?? `exit ${result.code}`;
  throw new Error(`${command} ${args.join(" ")}: ${ending}\n${result.stdout}${result.stderr}`);
}

function texts(stdout: readonly Buffer[], stderr: readonly Buffer[]) {
  return { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}
