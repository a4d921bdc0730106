import { execFile } from "node:child_process";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";

/** Who the user's own git settings say that they are; what they do not say is left out. */
export interface GitIdentity {
  readonly name?: string;
  readonly email?: string;
}

/**
 * The one place where the client runs git, and only when joining: of the user's own settings alone (a repository's could
 * name programs to run), from the home folder, with no `GIT_*` variable of the caller's.
 */
export async function readGitIdentity(env: ClientEnvironment): Promise<GitIdentity> {
  const [name, email] = await Promise.all([readSetting("user.name", env), readSetting("user.email", env)]);
  return { ...(name !== null && { name }), ...(email !== null && { email }) };
}

/** Null where git, or the setting, is missing. */
function readSetting(key: string, env: ClientEnvironment): Promise<string | null> {
  const options = { cwd: env.home, env: { ...env.forGit }, timeout: LIMITS.gitIdentityTimeoutMs, windowsHide: true };
  return new Promise((resolve) => {
    execFile("git", ["config", "--global", "--get", key], options, (error, stdout) => {
      const value = stdout.trim();
      resolve(error !== null || value === "" || value.length > LIMITS.nameLengthMax ? null : value);
    });
  });
}
