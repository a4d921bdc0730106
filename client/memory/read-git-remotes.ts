import { join } from "node:path";
import { LIMITS } from "../../shared/limits.ts";
import { parseGitConfig } from "./parse-git-config.ts";
import { readSmallFile } from "./read-small-file.ts";

/** The URLs of the two remotes that can name a project; of several for one remote git fetches from the first. */
export interface GitRemotes {
  readonly origin: string | null;
  readonly upstream: string | null;
}

/**
 * @returns null for each remote that the repository does not have; both where its config cannot be parsed
 * @throws TeamMemoryError `disk`: unreadable or over its bound
 */
export function readGitRemotes(commonDir: string): GitRemotes {
  const text = readSmallFile(join(commonDir, "config"), LIMITS.gitConfigSizeBytesMax) ?? "";
  const entries = parseGitConfig(text) ?? [];
  const urlOf = (remote: string) =>
    entries.find((entry) => entry.section === "remote" && entry.subsection === remote && entry.key === "url")?.value ??
    null;
  return { origin: urlOf("origin"), upstream: urlOf("upstream") };
}
