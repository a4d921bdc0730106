/** What a service serves: repositories, each with the projects that lie in it and what holds for them. Pure. */
import {
  coversPattern,
  matchesAny,
  type ProjectPattern,
  parseProjectPattern,
} from "../shared/project/match-project.ts";
import type { ProjectName } from "../shared/project/parse-project-name.ts";
import type { Identity } from "./git/port.ts";
import { SERVICE_IDENTITY } from "./git/service-identity.ts";
import type { RemoteSettings } from "./remote-settings.ts";
import type { ReviewPolicy } from "./sync/review-policy.ts";

export interface ServedRemote {
  /** For the log, and for people. */
  readonly name: string;
  /** Null: the repository in the data folder. */
  readonly remote: RemoteSettings | null;
  readonly projects: readonly ProjectPattern[];
  /** Where additions and edits go straight to the base. */
  readonly direct: readonly ProjectPattern[];
  /** Who commits what a person proposed; the person is the author. */
  readonly committer: Identity;
}

export interface Served {
  /** In the order in which they are asked whether a project is theirs: the first that says so has it. */
  readonly remotes: readonly ServedRemote[];
  /** The one of them that people, tokens and invites are kept on. */
  readonly people: ServedRemote;
}

export const EVERY_PROJECT = parseProjectPattern("*");

/** One for every project. */
export function serveAlone(remote: RemoteSettings | null, direct: readonly ProjectPattern[] = []): Served {
  const projects = [EVERY_PROJECT];
  const people = {
    name: remote === null ? "embedded" : "remote",
    remote,
    projects,
    direct,
    committer: SERVICE_IDENTITY,
  };
  return { remotes: [people], people };
}

export function toDirect(review: ReviewPolicy, patterns: readonly ProjectPattern[]): readonly ProjectPattern[] {
  return review === "direct" ? [EVERY_PROJECT] : patterns;
}

export function reviewPolicyOf({ direct }: Pick<ServedRemote, "direct">): (project: ProjectName) => ReviewPolicy {
  return (project) => (matchesAny(direct, project) ? "direct" : "required");
}

/** An earlier pattern that takes every project from this one, or null. */
export function findShadow(pattern: ProjectPattern, earlier: readonly ProjectPattern[]): ProjectPattern | null {
  return earlier.find((other) => coversPattern(other, pattern)) ?? null;
}
