/**
 * The git program: found at start, never required. It is run without a shell, with an environment of our own making (a
 * service manager or a hook may have handed us GIT_DIR and the like) and with settings that keep a repository's own
 * configuration from running programs.
 */
import { type ExecFileException, execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import { translateGitError } from "./translate-git-error.ts";

export interface GitBinary {
  readonly path: string;
  /** As the program says it: `2.39.5`. */
  readonly version: string;
}

export interface RunGitOptions {
  readonly input?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly outputSizeBytesMax?: number;
  /** Transports that git may use, as in GIT_ALLOW_PROTOCOL; none unless named. */
  readonly allowProtocols?: string;
  /** Upon our own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const execFileToEnd = promisify(execFile);

const COMPLAINTS_SIZE_BYTES = 64 * 1024;

/** The program at `path`, or the one on the PATH; null where there is none that answers. */
export async function findGitBinary(path: string | undefined): Promise<GitBinary | null> {
  try {
    const found = path ?? (await findOnPath());
    const said = (await runGit({ path: found, version: "" }, ["version"])).toString("latin1");
    const version = /^git version (?<version>\S+)/u.exec(said)?.groups?.["version"];
    return version === undefined ? null : { path: found, version };
  } catch {
    return null;
  }
}

/** Git says where its programs lie, itself among them; the environment's PATH is needed this once only. */
async function findOnPath(): Promise<string> {
  const { stdout } = await execFileToEnd("git", ["--exec-path"], { timeout: LIMITS.gitCommandTimeoutMs });
  return join(stdout.trim(), "git");
}

/** How a git command ended by itself; what it printed may be memories. */
export interface GitEnd {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Standard output of one git command. Throws `timeout`, `too_large` (more output than wanted) and `internal` (any other
 * end than exit 0, with git's last line).
 */
export async function runGit(binary: GitBinary, args: readonly string[], options: RunGitOptions = {}): Promise<Buffer> {
  const { code, stdout, stderr } = await runGitToEnd(binary, args, options);
  if (code === 0) return stdout;
  throw toFailure(toCommand(args), `exit ${code}`, stderr);
}

/** The same for commands whose exit code and complaints are an answer. Throws `internal` for one that a signal ended. */
export async function runGitToEnd(
  binary: GitBinary,
  args: readonly string[],
  options: RunGitOptions = {},
): Promise<GitEnd> {
  const running = execFileToEnd(binary.path, [...SAFE_FLAGS, ...args], {
    env: { ...gitEnvironment(binary, options.allowProtocols), ...options.env },
    encoding: "buffer",
    timeout: options.timeoutMs ?? LIMITS.gitCommandTimeoutMs,
    // It bounds what git complains, too.
    maxBuffer: Math.max(options.outputSizeBytesMax ?? LIMITS.gitOutputSizeBytesMax, COMPLAINTS_SIZE_BYTES),
    killSignal: "SIGKILL",
  });
  // A command that ends before it has read its input is judged by its exit code.
  running.child.stdin?.on("error", () => {}).end(options.input ?? "");
  try {
    const { stdout, stderr } = await running;
    return { code: 0, stdout, stderr: stderr.toString() };
  } catch (error) {
    return toGitEnd(error as FailedExec, toCommand(args));
  }
}

function toCommand(args: readonly string[]): string {
  return args.find((arg) => /^[a-z-]+$/u.test(arg) && arg !== "-c") ?? "";
}

/** `-c` wins over every configuration file: no hooks, no monitors, no upkeep, no redirects, strict names and objects. */
export const SAFE_FLAGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.bigFileThreshold=1m",
  "gc.auto=0",
  "maintenance.auto=false",
  "fetch.fsckObjects=true",
  "transfer.bundleURI=false",
  "http.followRedirects=false",
  "protocol.version=2",
  "submodule.recurse=false",
  // The data folder may lie on a volume that belongs to another user; nothing in it is run.
  "safe.directory=*",
].flatMap((setting) => ["-c", setting]);

/** The whole environment of a git child. The allocation bound stops objects that inflate to gigabytes. */
export function gitEnvironment(binary: GitBinary, allowProtocols = ""): Record<string, string> {
  return {
    PATH: `${dirname(binary.path)}:/usr/local/bin:/usr/bin:/bin`,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: allowProtocols,
    GIT_LITERAL_PATHSPECS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    // Attack: `refs/replace/<id>` would give another object under a reviewed one's id.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOC_LIMIT: String(LIMITS.gitAllocationSizeBytesMax),
  };
}

type FailedExec = ExecFileException & { readonly stdout?: Buffer };

/** The child's error is no cause to keep: it carries all that git printed, and that may be memories. */
function toGitEnd(error: FailedExec, command: string): GitEnd {
  if (String(error.code) === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    throw new TeamMemoryError("too_large", `could not take all that git ${command} printed`);
  }
  if (error.killed) throw new TeamMemoryError("timeout", `could not wait for git ${command}`);
  if (typeof error.code === "string") throw translateGitError(error, `run git ${command}`);
  const stderr = String(error.stderr);
  if (STOPPED.some((signal) => signal === error.signal)) throw toStopped(command, String(error.signal));
  if (typeof error.code !== "number") throw toFailure(command, String(error.signal), stderr);
  return { code: error.code, stdout: error.stdout ?? Buffer.alloc(0), stderr };
}

/** What a service is told to end with reaches its git, too, from a terminal or a supervisor: no fault of anybody. */
const STOPPED: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

function toStopped(command: string, signal: string): TeamMemoryError {
  return new TeamMemoryError("unavailable", `git ${command} was told to end (${signal})`, { details: { signal } });
}

function toFailure(command: string, end: string, stderr: string): TeamMemoryError {
  const said = escapeForDisplay(stderr.trim().split("\n").at(-1) ?? "");
  return new TeamMemoryError("internal", `could not run git ${command} (${end}): ${said}`);
}
