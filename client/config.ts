import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/**
 * What the machine says, read once and typed: nothing else in client/ looks at the environment. An empty variable counts
 * as not set. Whether a repository has put a variable there is not known here: see memory/assert-not-steered.ts.
 */
export interface ClientEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The user's own settings of team-memory, token included: `…/team-memory`. */
  readonly configDir: string;
  /** Pristine copies, attic, outbox, locks: `…/team-memory`. */
  readonly stateDir: string;
  /** The installed client: `…/team-memory`. */
  readonly dataDir: string;
  /** Team memory's own switch, `TEAM_MEMORY_DISABLE`. */
  readonly disabled: boolean;
  /** `TEAM_MEMORY_INSECURE`: plain http to other machines is allowed. */
  readonly insecure: boolean;
  readonly claude: ClaudeEnvironment;
  /** What the user edits texts with, as a shell's words: `VISUAL`, else `EDITOR`. */
  readonly editor: string | null;
  /** All that a git child of ours gets: enough to find itself and the user's settings, no `GIT_*`. */
  readonly forGit: Readonly<Record<string, string>>;
}

/** What Claude Code's own variables say about where its memory is and whether it is on. */
export interface ClaudeEnvironment {
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configDir: string;
  /** Where an administrator's settings lie; fixed by platform. */
  readonly managedDir: string;
  /** Where the session was started; the host sets it for hooks. */
  readonly projectDir: string | null;
  /** Replaces the folder name that is made from the path; only together with `CLAUDE_CONFIG_DIR`. */
  readonly projectDirName: string | null;
  readonly memoryPathOverride: string | null;
  readonly remoteMemoryDir: string | null;
  /** `CLAUDE_CODE_DISABLE_AUTO_MEMORY`: it can say off, and it can say on. */
  readonly autoMemory: "on" | "off" | null;
  /** The variable that makes this a bare session, if one does. */
  readonly bareBy: "CLAUDE_CODE_SIMPLE" | "CLAUDE_CODE_SAFE_MODE" | null;
  readonly remote: boolean;
}

export type Variables = Readonly<Record<string, string | undefined>>;

/** The only place in client/ that reads the environment. */
export function readEnvironment(): ClientEnvironment {
  return toClientEnvironment(process.env, { platform: process.platform, home: homedir() });
}

/** Pure: the same variables give the same environment. */
export function toClientEnvironment(
  variables: Variables,
  machine: { readonly platform: NodeJS.Platform; readonly home: string },
): ClientEnvironment {
  const { platform, home } = machine;
  return {
    platform,
    home,
    ...toOwnFolders(variables, machine),
    disabled: isYes(variables["TEAM_MEMORY_DISABLE"]),
    insecure: isYes(variables["TEAM_MEMORY_INSECURE"]),
    claude: toClaudeEnvironment(variables, machine),
    editor: given(variables["VISUAL"]) ?? given(variables["EDITOR"]),
    forGit: pick(variables, GIT_CHILD_VARIABLES),
  };
}

/** A switch is on or off in these words, any case; other values are no answer. */
export function isYes(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value?.trim() ?? "");
}

const GIT_CHILD_VARIABLES = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "SYSTEMROOT",
  "APPDATA",
  "LOCALAPPDATA",
];

function toOwnFolders(variables: Variables, machine: { platform: NodeJS.Platform; home: string }) {
  const { platform, home } = machine;
  if (platform === "win32") {
    const local = absolute(variables["LOCALAPPDATA"]) ?? join(home, "AppData", "Local");
    return {
      configDir: join(absolute(variables["APPDATA"]) ?? join(home, "AppData", "Roaming"), "team-memory"),
      stateDir: join(local, "team-memory", "state"),
      dataDir: join(local, "team-memory", "data"),
    };
  }
  return {
    configDir: join(absolute(variables["XDG_CONFIG_HOME"]) ?? join(home, ".config"), "team-memory"),
    stateDir: join(absolute(variables["XDG_STATE_HOME"]) ?? join(home, ".local", "state"), "team-memory"),
    dataDir: join(absolute(variables["XDG_DATA_HOME"]) ?? join(home, ".local", "share"), "team-memory"),
  };
}

function toClaudeEnvironment(
  variables: Variables,
  machine: { platform: NodeJS.Platform; home: string },
): ClaudeEnvironment {
  const configDir = given(variables["CLAUDE_CONFIG_DIR"]);
  return {
    configDir: configDir === null ? join(machine.home, ".claude") : resolve(configDir),
    managedDir: toManagedDir(machine.platform),
    projectDir: absolute(variables["CLAUDE_PROJECT_DIR"]),
    projectDirName: configDir === null ? null : given(variables["CLAUDE_CODE_PROJECT_DIR_NAME"]),
    memoryPathOverride: given(variables["CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"]),
    remoteMemoryDir: given(variables["CLAUDE_CODE_REMOTE_MEMORY_DIR"]),
    autoMemory: toAutoMemory(variables["CLAUDE_CODE_DISABLE_AUTO_MEMORY"]),
    bareBy: toBareBy(variables),
    remote: isYes(variables["CLAUDE_CODE_REMOTE"]),
  };
}

/** Administrators' settings in the registry (Windows) and in configuration profiles (macOS) are not read. */
function toManagedDir(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

function toAutoMemory(disable: string | undefined): "on" | "off" | null {
  if (isYes(disable)) return "off";
  return /^(0|false|no|off)$/i.test(disable?.trim() ?? "") ? "on" : null;
}

function toBareBy(variables: Variables): ClaudeEnvironment["bareBy"] {
  if (isYes(variables["CLAUDE_CODE_SIMPLE"])) return "CLAUDE_CODE_SIMPLE";
  return isYes(variables["CLAUDE_CODE_SAFE_MODE"]) ? "CLAUDE_CODE_SAFE_MODE" : null;
}

function given(value: string | undefined): string | null {
  return value === undefined || value === "" ? null : value;
}

/** The base directories' rule: a relative value counts as not set. */
function absolute(value: string | undefined): string | null {
  return value !== undefined && isAbsolute(value) ? value : null;
}

function pick(variables: Variables, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])));
}
