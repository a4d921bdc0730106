import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { ServiceAddress } from "../http/call-service.ts";
import type { Located } from "../memory/locate.ts";
import type { Where } from "./state/state.ts";

/** All that a sync has to know about where it runs; made where memory is on and the project was joined. */
export interface SyncContext {
  readonly project: ProjectName;
  readonly service: ServiceAddress;
  readonly teamDir: string;
  readonly stateFolder: string;
}

/** @throws TeamMemoryError `memory_off`, `no_project`, `not_joined` */
export function toSyncContext({ memory, project, service, teamDir, stateFolder }: Located): SyncContext {
  if (!memory.on) throw new TeamMemoryError("memory_off", `Team memory is off: ${memory.why}`);
  if (project === null) throw new TeamMemoryError("no_project", "Nothing says what project this folder is about");
  if (service === null) throw new TeamMemoryError("not_joined", `This machine has not joined ${project}`);
  return { project, service, teamDir, stateFolder };
}

export function toWhere({ project, service }: SyncContext): Where {
  return { server: service.url, project };
}

/** What is going on, for a person who waits. */
export function waitingFor({ service }: SyncContext): string {
  return `Waiting for ${service.url} …`;
}
