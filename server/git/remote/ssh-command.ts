/**
 * The command line by which git reaches a remote over ssh. Nobody is asked anything, no agent and no configuration of a user
 * has a say, and whoever answers first is not believed: the host's key is known already, or there is no connection.
 */
import { LIMITS } from "../../../shared/limits.ts";

/** Absolute paths. Null: the default keys, or the known hosts, of whoever runs the service. */
export interface SshFiles {
  readonly keyPath: string | null;
  readonly knownHostsPath: string | null;
}

export const DEFAULT_SSH_FILES: SshFiles = { keyPath: null, knownHostsPath: null };

/** Git hands the line to a shell, and ssh expands `%`, `~` and `${}` in values; none of them is in these characters. */
export function isSshPath(path: string): boolean {
  return /^[\p{L}\p{N}/._@+=,:-]+$/u.test(path);
}

/** Both paths must be ones that `isSshPath` takes. */
export function toSshCommand({ keyPath, knownHostsPath }: SshFiles): string {
  const settings = [
    ...SETTINGS,
    ...(keyPath === null ? [] : [`IdentityFile=${keyPath}`, "IdentitiesOnly=yes"]),
    ...(knownHostsPath === null ? [] : [`UserKnownHostsFile=${knownHostsPath}`, "GlobalKnownHostsFile=/dev/null"]),
  ];
  return ["ssh", "-F/dev/null", ...settings.map((setting) => `-o${setting}`)].join(" ");
}

const SETTINGS: readonly string[] = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  // What a host says of its further keys is written nowhere.
  "UpdateHostKeys=no",
  "IdentityAgent=none",
  "ClearAllForwardings=yes",
  `ConnectTimeout=${LIMITS.sshConnectTimeoutSeconds}`,
  `ServerAliveInterval=${LIMITS.sshSilenceSeconds}`,
  "ServerAliveCountMax=2",
];
