import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { ForgeDesk } from "../forge/forge-desk.ts";
import type { AnyPort } from "../git/port.ts";
import type { StateFiles } from "../state/state-files.ts";
import type { EngineLog } from "./engine-log.ts";
import type { History } from "./history/history.ts";
import type { OutcomesStore } from "./proposal/outcomes.ts";
import type { Signer } from "./proposal/signed-commit.ts";
import type { ReviewPolicy } from "./review-policy.ts";
import type { BlobTexts } from "./snapshot/blob-texts.ts";
import type { ReadFolder } from "./snapshot/read-folder.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";
import type { Snapshots } from "./snapshot/snapshots.ts";
import type { KnownBranches } from "./world/known-branches.ts";
import type { Turns } from "./world/turns.ts";
import type { Waiters } from "./world/waiters.ts";
import type { World } from "./world/world.ts";

/** What the parts of the engine share. The world is replaced as a whole, and only in the queue. */
export interface EngineContext extends Signer {
  readonly git: AnyPort;
  readonly state: StateFiles;
  readonly readFolder: ReadFolder;
  readonly texts: BlobTexts;
  readonly history: History;
  readonly snapshots: Snapshots;
  readonly outcomes: OutcomesStore;
  readonly knownBranches: KnownBranches;
  readonly waiters: Waiters;
  readonly clock: () => Date;
  readonly log: EngineLog;
  readonly publicUrl: string;
  /** Where proposals are reviewed as pull requests; null: here. */
  readonly desk: ForgeDesk | null;
  readonly reviewPolicy: (project: ProjectName) => ReviewPolicy;
  /** One at a time: whatever moves references, and looking at them. */
  readonly inTurn: Turns;
  world(): World;
  install(world: World): void;
}

/** The project as the world has it; without any git read where it is loaded. */
export function currentSnapshot(
  context: EngineContext,
  project: ProjectName,
  world: World = context.world(),
): Promise<Snapshot> {
  return context.snapshots.newest(project, world.projects.get(project) ?? null);
}

export function notFound(what: string): TeamMemoryError {
  return new TeamMemoryError("not_found", `Could not find ${what}`);
}
