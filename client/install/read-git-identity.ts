import { execFile } from "node:child_process";
import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import type { ClientEnvironment } from "../config.ts";
import { findRepository } from "../memory/find-git-root.ts";
import { parseGitConfig } from "../memory/parse-git-config.ts";
import { readSmallFile } from "../memory/read-small-file.ts";

/** Who git's settings say that the user is; what they do not say is left out. */
export interface GitIdentity {
  readonly name?: string;
  readonly email?: string;
}

/**
 * As git itself would name the author of a commit in the folder: the clone's own setting, else the user's. The clone's file
 * is read and nothing that it names is followed; git is asked for the user's alone, from the home folder, with no `GIT_*`
 * variable of the caller's. This is the one place where the client runs git, and only when joining.
 *
 * @throws TeamMemoryError `disk` where the clone's settings cannot be read
 */
export async function readGitIdentity(env: ClientEnvironment, folder: string): Promise<GitIdentity> {
  const own = readCloneSettings(folder);
  const read = async (key: "name" | "email") => toSetting(own.get(key)) ?? (await readUserSetting(`user.${key}`, env));
  const [name, email] = await Promise.all([read("name"), read("email")]);
  return { ...(name !== null && { name }), ...(email !== null && { email }) };
}

/** `[user]` of the clone's config: of a key that is there twice, the last, as with git. */
function readCloneSettings(folder: string): ReadonlyMap<string, string> {
  const commonDir = findRepository(folder)?.commonDir ?? null;
  const text = commonDir === null ? null : readSmallFile(join(commonDir, "config"), LIMITS.gitConfigSizeBytesMax);
  const entries = parseGitConfig(text ?? "") ?? [];
  const own = entries.filter(({ section, subsection }) => section === "user" && subsection === null);
  return new Map(own.map(({ key, value }) => [key, value]));
}

/** Null where git, or the setting, is missing. */
function readUserSetting(key: string, env: ClientEnvironment): Promise<string | null> {
  const options = { cwd: env.home, env: { ...env.forGit }, timeout: LIMITS.gitIdentityTimeoutMs, windowsHide: true };
  return new Promise((resolve) => {
    execFile("git", ["config", "--global", "--get", key], options, (error, stdout) => {
      resolve(error === null ? toSetting(stdout) : null);
    });
  });
}

function toSetting(value = ""): string | null {
  const text = value.trim();
  return text === "" || text.length > LIMITS.nameLengthMax ? null : text;
}
