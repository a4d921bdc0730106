import { LIMITS } from "../../shared/limits.ts";
import { isRecord } from "../memory/claude-settings.ts";
import { isPlainWord, toShellWord } from "../shell-word.ts";

/** The host's events that run us. */
export const HOOK_EVENTS = ["SessionStart", "PreToolUse", "Stop", "SessionEnd"] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** One entry of an event's list in the host's settings. */
export interface HookEntry {
  /** Which occasions of the event: tools by name, or `*`; left out where the event has none. */
  readonly matcher?: string;
  readonly hooks: readonly [{ readonly type: "command"; readonly command: string; readonly timeout: number }];
}

/** All our entries, by event. */
export type HookEntries = Readonly<Record<HookEvent, readonly HookEntry[]>>;

export interface HookCommand {
  readonly platform: NodeJS.Platform;
  /** Full paths: hooks run with whatever PATH the host was started with. */
  readonly node: string;
  readonly client: string;
}

/** The file name of the installed client is the marker by which our entries are known again. */
export const CLIENT_FILE = "team-memory.cjs";

/**
 * `PreToolUse` has no `if` that narrows it to a path: patterns are compared with paths as they are written, and a link or
 * another spelling would lead past them. `Stop` is not `async`: a host that runs one turn alone ends such a hook before
 * its first line and leaves `SessionEnd` out, and what it says reaches nobody before the next turn. So it detaches what
 * takes long, and is short itself. `SessionEnd` names all its reasons: without a matcher it is not run everywhere.
 */
export function buildHookEntries(command: HookCommand): HookEntries {
  const entry = (event: string, matcher?: string): HookEntry => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [
      {
        type: "command",
        command: `${toShellCommand(command)} hook ${event}`,
        timeout: LIMITS.hookEntryTimeoutSeconds,
      },
    ],
  });
  return {
    // More than one: the host cuts what each entry prints, and the index is longer.
    SessionStart: Array.from({ length: LIMITS.hookEntries }, (_, at) => entry(`session-start --part ${at + 1}`)),
    PreToolUse: [entry("pre-tool-use", "Write|Edit|MultiEdit")],
    Stop: [entry("stop")],
    SessionEnd: [entry("session-end", "*")],
  };
}

const OWN_COMMAND = /(^|[\\/])team-memory\.cjs["']? hook [a-z-]+( --part \d+)?$/;

/** Of this version or another: whatever event it is for. */
export function isOwnHandler(value: unknown): boolean {
  return isRecord(value) && typeof value["command"] === "string" && OWN_COMMAND.test(value["command"]);
}

/**
 * The host runs the line with `sh -c`; on Windows with Git's bash, else with PowerShell, and takes no notice of which. So
 * it must mean the same in both: slashes for backslashes, quotes only around arguments. A quoted program is a mere text
 * to PowerShell: where node's path there needs quotes, node is left to PATH.
 */
function toShellCommand({ platform, node, client }: HookCommand): string {
  if (platform !== "win32") return `${toShellWord(node)} ${toShellWord(client)}`;
  const [program, script] = [node, client].map((path) => path.replaceAll("\\", "/")) as [string, string];
  return `${isPlainWord(program) ? program : "node"} ${isPlainWord(script) ? script : quoteForBoth(script)}`;
}

/** Windows paths hold no double quote; a `$` or a backtick would be expanded between them, a single quote ends the other kind. */
function quoteForBoth(path: string): string {
  return path.includes("'") ? `"${path}"` : `'${path}'`;
}
