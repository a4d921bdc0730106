import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { countOf } from "../count-of.ts";
import type { Io } from "../io.ts";
import type { UserConfig } from "../user-config.ts";
import type { Forgotten } from "./forget-place.ts";

/** Everything that leave undid, and what it could not. */
export interface LeaveReport {
  readonly before: UserConfig;
  readonly after: UserConfig;
  readonly forgotten: readonly Forgotten[];
  readonly undone: Undone;
  readonly failed: readonly Failed[];
}

export interface Undone {
  readonly settingsFiles: readonly string[];
  readonly isClientRemoved: boolean;
}

export const NOTHING_UNDONE: Undone = { settingsFiles: [], isClientRemoved: false };

export interface Failed {
  /** What is still there: the beginning of a sentence. */
  readonly what: string;
  readonly error: TeamMemoryError;
}

export function reportLeave(io: Io, { before, after, forgotten, undone, failed }: LeaveReport): void {
  const projects = before.projects
    .map(({ project }) => project)
    .filter((project) => !after.projects.some((kept) => kept.project === project));
  const services = before.services
    .map(({ url }) => url)
    .filter((url) => !after.services.some((kept) => kept.url === url));
  const notUndone = failed.map(({ what, error: { code, message } }) => ({ what, code, message }));
  io.result({ projects, services, places: forgotten, ...undone, notUndone }, [
    projects.length === 0 ? "Nothing was joined" : `Left ${projects.join(", ")} on this machine, in all clones of it`,
    ...forgotten.flatMap(describePlace),
    ...services.map(
      (url) =>
        `The token for ${url} is forgotten here, so joining again needs an invite for you; an admin of the service can revoke it`,
    ),
    ...undone.settingsFiles.map((file) => `The hooks are out of ${file}`),
    ...(undone.isClientRemoved ? ["The installed client is removed"] : []),
    ...failed.map(({ what, error }) => `Not undone: ${what}: ${error.message} (${error.code})`),
    ...(failed.length === 0 ? [] : ["Once that can be changed, or is gone: run team-memory leave again"]),
  ]);
}

function describePlace({ memoryDir, removed, kept, attic }: Forgotten): readonly string[] {
  return [
    ...(memoryDir === null
      ? []
      : [`${countOf(removed, "memory", "memories")} of the team gone from ${memoryDir}/team`]),
    ...(kept.length > 0 ? [`Kept in ${memoryDir}/team, for they may stand nowhere else: ${kept.join(", ")}`] : []),
    ...(attic === null ? [] : [`Texts that pulls replaced stay in ${attic}`]),
  ];
}
