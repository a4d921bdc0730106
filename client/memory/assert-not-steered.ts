import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import { isYes } from "../config.ts";
import { isRecord } from "./claude-settings.ts";
import type { ProjectSettings } from "./project-settings.ts";

/**
 * A repository's committed settings can hold an `env` block, and the host hands it on to every hook. A repository could
 * so name the service that gets our token, the folder that we write to, or code that runs inside us. By the time we run
 * it is too late to tell its values from the user's: so we look at the files, and refuse while one of them names a
 * variable that steers us. The value does not matter and is never shown.
 */
const STEERING: readonly RegExp[] = [
  // Where memory is
  /^CLAUDE_CONFIG_DIR$/,
  /^CLAUDE_COWORK_/,
  /^CLAUDE_CODE_REMOTE/,
  /^CLAUDE_CODE_PROJECT_DIR_NAME$/,
  /^CLAUDE_PROJECT_DIR$/,
  // Which service, model and key
  /^TEAM_MEMORY_/,
  /^ANTHROPIC_/,
  // Where the user's own settings, state and credentials are looked for
  /^HOME$/,
  /^XDG_/,
  /^(USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA)$/,
  // What runs
  /^(PATH|PATHEXT|COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|PROGRAMDATA|PSMODULEPATH)$/,
  /^CLAUDE_CODE_SHELL/,
  /^(VISUAL|EDITOR)$/,
  // What a shell does before its first line: a function of bash's has the name of a program, or of its path
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|BASH_LOADABLES_PATH|ZDOTDIR|IFS|PS4)$/,
  // What the loader, the C library and Node load, read or write before our first line
  /^(NODE|LD|DYLD|ICU)_/,
  /^UV_(THREADPOOL_SIZE|USE_IO_URING)$/,
  /^(GLIBC_TUNABLES|GETCONF_DIR|GCONV_PATH|LOCPATH|MUSL_LOCPATH|LOCALE_ARCHIVE.*|NLSPATH|TZDIR)$/,
  /^MALLOC/,
  // Which hosts a connection reaches: the resolvers of the C library and of Node
  /^(LOCALDOMAIN|RES_OPTIONS|HOSTALIASES|CARES_HOSTS)$/,
  /^(RESOLV|NIS)_/,
  /_PROXY$/,
  // Whom a connection believes, and who reads along
  /^(SSL|OPENSSL)_/,
  /^SSLKEYLOGFILE$/,
  // What git does
  /^(GIT|SSH)_/,
];

/** Switching memory off is a repository's right; switching it on is not. */
const SWITCHES_OFF: readonly string[] = ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "TEAM_MEMORY_DISABLE"];

/** @throws TeamMemoryError `steered_environment`, details { file, variable } */
export function assertNotSteered(files: readonly ProjectSettings[]): void {
  for (const file of files) {
    for (const [variable, value] of listVariables(file)) {
      if (!isSteering(variable, value)) continue;
      const shown = { file: escapeForDisplay(file.path), variable: escapeForDisplay(variable) };
      throw new TeamMemoryError(
        "steered_environment",
        `The project's settings set a variable that steers team-memory: ${shown.variable} in ${shown.file}`,
        { details: shown },
      );
    }
  }
}

/** The file and the name of the switch by which the project turns memory off; null where it does not. */
export function findProjectSwitchOff(files: readonly ProjectSettings[]): { variable: string; path: string } | null {
  for (const file of files) {
    const [variable] = listVariables(file).find(([name, value]) => isSwitchOff(name, value)) ?? [];
    if (variable !== undefined) return { variable, path: file.path };
  }
  return null;
}

function listVariables(file: ProjectSettings): readonly (readonly [string, unknown])[] {
  const variables = file.values["env"];
  return isRecord(variables) ? Object.entries(variables) : [];
}

/** Names are compared in upper case: Windows takes any case, and proxies are known by both. */
function isSteering(variable: string, value: unknown): boolean {
  const name = variable.toUpperCase();
  if (SWITCHES_OFF.includes(name)) return !isSwitchOff(name, value);
  return STEERING.some((rule) => rule.test(name));
}

function isSwitchOff(variable: string, value: unknown): boolean {
  return SWITCHES_OFF.includes(variable.toUpperCase()) && isYes(String(value));
}
