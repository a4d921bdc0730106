/** One remote by flags and variables, for a service that has no more of them. */
import type { FlagRows } from "./flag-rows.ts";
import { FORGE_SETTINGS } from "./forge-settings.ts";
import { type RemoteSetting, type RemoteSettings, readRemoteSettings } from "./remote-settings.ts";

/** The token itself is never a flag: `ps` shows flags. */
export const REMOTE_FLAGS = {
  remote: {
    type: "string",
    value: "URL",
    help: "a git remote that holds the memory; a repository of its own unless named",
  },
  "remote-token-file": { type: "string", value: "FILE", help: "its token, read again when it is refused" },
  "remote-askpass": { type: "string", value: "PROGRAM", help: "prints its token; run without a shell" },
  "remote-ssh-key": { type: "string", value: "FILE", help: "the private key for ssh; those of who runs the service" },
  "remote-known-hosts": {
    type: "string",
    value: "FILE",
    help: "host keys that ssh believes; those of who runs the service",
  },
  "remote-folder": {
    type: "string",
    value: "DIR",
    help: "where a remote on this disk may lie, beside the data folder",
  },
  "base-branch": { type: "string", value: "NAME", help: "the remote's branch that everyone pulls; main" },
  forge: { type: "string", value: "KIND", help: "github, gitea or gitlab: proposals become pull requests there" },
  "forge-url": { type: "string", value: "URL", help: "the address of its API; made of the remote's unless named" },
  "forge-token-file": { type: "string", value: "FILE", help: "the token for its API; the remote's unless named" },
  "forge-reviewers": { type: "string", value: "LIST", help: "who is asked to review, as on the forge" },
} as const satisfies FlagRows;

type WrittenSettings = Readonly<Record<string, string | undefined>>;

/** `written`: by the names of flags, and `remote-token`. Problems name flag and variable. */
export function readRemoteFlags(
  written: WrittenSettings,
  dataFolder: string,
): { readonly remote: RemoteSettings | null; readonly problems: readonly string[] } {
  const given = {
    url: written["remote"],
    token: written["remote-token"],
    "token-file": written["remote-token-file"],
    askpass: written["remote-askpass"],
    "ssh-key": written["remote-ssh-key"],
    "known-hosts": written["remote-known-hosts"],
    folder: written["remote-folder"],
    "base-branch": written["base-branch"],
    ...Object.fromEntries(FORGE_SETTINGS.map((name) => [name, written[name]])),
  };
  const { remote, problems } = readRemoteSettings(given, { dataFolder, from: process.cwd() });
  return { remote, problems: problems.map(({ setting, rule }) => `${toFlagWords(setting)}: ${rule}`) };
}

/** What of these is given at all, for a service whose remotes stand in a file. */
export function remoteFlagsIn(written: WrittenSettings): readonly string[] {
  return ["remote-token", ...Object.keys(REMOTE_FLAGS)].filter((name) => written[name] !== undefined);
}

export function toVariable(name: string): string {
  return `TEAM_MEMORY_${name.toUpperCase().replaceAll("-", "_")}`;
}

function toFlagWords(setting: RemoteSetting): string {
  if (setting === "token") return toVariable("remote-token");
  const isWhole = setting === "base-branch" || setting.startsWith("forge");
  const flag = setting === "url" ? "remote" : isWhole ? setting : `remote-${setting}`;
  return `--${flag} (${toVariable(flag)})`;
}
