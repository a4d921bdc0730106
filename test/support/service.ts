/** The real service: its built main file in a process of its own, as a team runs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { gitEnvironment } from "./git.ts";
import { mustRun } from "./run.ts";
import type { OnEnd } from "./teardown.ts";

const SERVER_MAIN = fileURLToPath(new URL("../../dist/server/main.js", import.meta.url));

/** Arguments of a service whose rates are not what is tried. */
export const UNLIMITED = [
  "--requests-per-minute-per-token",
  "100000000",
  "--requests-per-minute-per-address",
  "100000000",
];

export interface ServiceOptions {
  /** Data folder; made by the service where it is missing. */
  readonly data: string;
  readonly onEnd: OnEnd;
  /** 0: any free one. */
  readonly port?: number;
  readonly args?: readonly string[];
  readonly startTimeoutMs?: number;
  /** An installed command instead of the built main file. */
  readonly command?: string;
}

export interface RunningService {
  readonly url: string;
  readonly data: string;
  /** Of its process. */
  readonly pid: number;
  /** Path of its bare repository. */
  readonly gitDir: string;
  /** The line that a teammate pastes, and the link in it. */
  readonly joinLine: string;
  readonly link: string;
  /** All it has printed so far, logs included. */
  output(): string;
  /** As a supervisor stops it; its exit code. */
  stop(): Promise<number | null>;
  /** As a power cut stops it. */
  kill(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const JOIN_LINE = /npx -y (\S+)\/client\.tgz join (\S+)\n/;

/** Starts the service and waits until it has printed its join line and is ready. Throws with its output where it ends before that. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const child = spawnService(options);
  options.onEnd(() => end(child, "SIGKILL"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const [joinLine, url, link] = await untilReady(child, () => printed, options.startTimeoutMs);
  return {
    url,
    data: options.data,
    pid: child.pid ?? 0,
    gitDir: `${options.data}/memory.git`,
    joinLine: joinLine.trimEnd(),
    link,
    output: () => printed,
    stop: async () => {
      await end(child, "SIGTERM");
      return child.exitCode;
    },
    kill: () => end(child, "SIGKILL"),
  };
}

/** False: it ended, or was ready, before that time. */
export async function killWhileStarting(options: Omit<ServiceOptions, "onEnd">, afterMs: number): Promise<boolean> {
  const child = spawnService(options);
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.resume();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const isStarting = child.exitCode === null && !JOIN_LINE.test(printed);
  await end(child, "SIGKILL");
  return isStarting;
}

function spawnService({ data, port = 0, args = [], command }: Omit<ServiceOptions, "onEnd">) {
  const words = ["serve", "--data", data, "--port", String(port), ...args];
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  const [program, first] = command === undefined ? [process.execPath, [SERVER_MAIN]] : [command, []];
  return spawn(program, [...first, ...words], { env: serverEnvironment(data), stdio });
}

/** A join link for one more person, made by the service's own command while it runs. */
export async function invite(service: RunningService, role: string, project?: string): Promise<string> {
  const scope = project === undefined ? [] : ["--project", project];
  const args = [SERVER_MAIN, "invite", "--data", service.data, "--role", role, ...scope];
  const { stdout } = await mustRun(process.execPath, args, { cwd: "/", env: serverEnvironment(service.data) });
  const link = /https?:\/\/\S+#\S+/.exec(stdout)?.[0];
  if (link === undefined) throw new Error(`no link in what invite printed: ${stdout}`);
  return link;
}

function serverEnvironment(data: string): Record<string, string> {
  return gitEnvironment(data);
}

/** The join line, the address and the link in it. */
async function untilReady(
  child: ChildProcess,
  printed: () => string,
  timeoutMs = START_TIMEOUT_MS,
): Promise<[string, string, string]> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const [line, url, link] = JOIN_LINE.exec(printed()) ?? [];
    if (line !== undefined && url !== undefined && link !== undefined && (await isReady(url))) return [line, url, link];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the service did not become ready (exit ${child.exitCode}):\n${printed()}`);
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
