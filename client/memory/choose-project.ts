import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { projectFromRemoteUrl } from "../../shared/project/from-remote-url.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { UserConfig } from "../user-config.ts";
import type { GitRemotes } from "./read-git-remotes.ts";

export interface ProjectSources {
  /** The canonical git root, or the folder itself. */
  readonly root: string;
  readonly remotes: GitRemotes;
  readonly config: UserConfig;
}

/**
 * The project that a repository's memories are about: what the user has said of this root, else what its remotes name.
 * Of a fork and its upstream the one that is joined counts; with both joined, only the user can say.
 *
 * @returns null where nothing names one
 * @throws TeamMemoryError `ambiguous_project`, details { projects }
 */
export function chooseProject({ root, remotes, config }: ProjectSources): ProjectName | null {
  const said = config.roots.find((entry) => entry.root === root);
  if (said !== undefined) return said.project;
  const named = listNamedProjects(remotes);
  const joined = named.filter((project) => config.projects.some((entry) => entry.project === project));
  if (joined.length > 1) throw toAmbiguousProject(joined);
  return joined[0] ?? named[0] ?? null;
}

/** `origin`'s project first, then `upstream`'s where it is another. */
export function listNamedProjects(remotes: GitRemotes): readonly ProjectName[] {
  const named = [remotes.origin, remotes.upstream].map((url) => (url === null ? null : projectFromRemoteUrl(url)));
  return [...new Set(named.filter((project) => project !== null))];
}

export function toAmbiguousProject(projects: readonly ProjectName[]): TeamMemoryError {
  return new TeamMemoryError("ambiguous_project", `Could not choose between two projects: ${projects.join(", ")}`, {
    details: { projects },
  });
}
