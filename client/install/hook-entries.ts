import { LIMITS } from "../../shared/limits.ts";
import { isRecord } from "../memory/claude-settings.ts";

/** One entry of the host's `SessionStart` list: what it runs when a session starts, resumes or has been compacted. */
export interface HookEntry {
  readonly hooks: readonly [{ readonly type: "command"; readonly command: string; readonly timeout: number }];
}

export interface HookCommand {
  readonly platform: NodeJS.Platform;
  /** Full paths: hooks run with whatever PATH the host was started with. */
  readonly node: string;
  readonly client: string;
}

/** The file name of the installed client is the marker by which our entries are known again. */
export const CLIENT_FILE = "team-memory.cjs";

/** More than one: the host cuts what each entry prints, and the index is longer. */
export function buildHookEntries(command: HookCommand): readonly HookEntry[] {
  return Array.from({ length: LIMITS.hookEntries }, (_, at) => ({
    hooks: [
      {
        type: "command",
        command: `${toShellCommand(command)} hook session-start --part ${at + 1}`,
        timeout: LIMITS.hookEntryTimeoutSeconds,
      },
    ],
  }));
}

const OWN_COMMAND = /(^|[\\/])team-memory\.cjs["']? hook session-start --part \d+$/;

export function isOwnHandler(value: unknown): boolean {
  return isRecord(value) && typeof value["command"] === "string" && OWN_COMMAND.test(value["command"]);
}

/**
 * The host runs the line with `sh -c`; on Windows with Git's bash, else with PowerShell, and takes no notice of which. So
 * it must mean the same in both: slashes for backslashes, quotes only around arguments. A quoted program is a mere text
 * to PowerShell: where node's path there needs quotes, node is left to PATH.
 */
function toShellCommand({ platform, node, client }: HookCommand): string {
  if (platform !== "win32") return `${quote(node)} ${quote(client)}`;
  const [program, script] = [node, client].map((path) => path.replaceAll("\\", "/")) as [string, string];
  return `${isPlain(program) ? program : "node"} ${isPlain(script) ? script : quoteForBoth(script)}`;
}

function isPlain(path: string): boolean {
  return /^[\w./:+-]+$/.test(path);
}

function quote(path: string): string {
  return isPlain(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Windows paths hold no double quote; a `$` or a backtick would be expanded between them, a single quote ends the other kind. */
function quoteForBoth(path: string): string {
  return path.includes("'") ? `"${path}"` : `'${path}'`;
}
