import { LIMITS } from "../../shared/limits.ts";
import type { Located } from "../memory/locate.ts";
import { withLock } from "../sync/lock/lock.ts";
import { type Head, readHead, writeHead } from "../sync/state/head.ts";
import { statePath } from "../sync/state/layout.ts";
import type { KeyMarks, Marks } from "../sync/state/marks.ts";
import { readMarks } from "../sync/state/marks-file.ts";
import { assertSamePlace, type Where } from "../sync/state/state.ts";
import { type Forgotten, forgetPlace } from "./forget-place.ts";
import { rehearseUpdate } from "./update-file.ts";

export interface StateChoice {
  /** The copies are the same ones under another name: keep them. */
  readonly move: boolean;
  /** They are not: take them away, and pull anew. */
  readonly fresh: boolean;
}

/**
 * What to do with copies of another project or service that lie where this one's would go: nothing without a word of the
 * user's, for one project's memories must not end up in another's.
 *
 * @returns what became of the files, where they were taken away
 * @throws TeamMemoryError `state_moved` where there are some and the user has not chosen; `busy`, `disk`
 */
export async function settleState(located: Located, where: Where, choice: StateChoice): Promise<Forgotten | null> {
  const { stateFolder, memoryDir } = located;
  const head = readHead(stateFolder);
  if (head === null) return null;
  if (choice.fresh) {
    const isSame = head.server === where.server && head.project === where.project;
    return forgetPlace({ stateFolder, memoryDir, head }, isSame ? toDecided(readMarks(stateFolder)) : undefined);
  }
  if (choice.move) await withLock(stateFolder, { waitMs: LIMITS.lockWaitMs }, async () => moveHead(stateFolder, where));
  else assertSamePlace(head, where);
  return null;
}

/** Throws where no state could be written. @throws TeamMemoryError `disk`, `disk_full`, `busy` */
export async function assertStateWritable(stateFolder: string): Promise<void> {
  await rehearseUpdate(statePath(stateFolder, "checked"), { mode: 0o600, folderMode: 0o700 }, () => "checked");
}

/**
 * What was decided, or waits to be, outlasts the copies: a reviewer's no, a conflict, a removal. Forgotten, the text would
 * be sent again, wait unseen in the attic, or come back by itself.
 */
function toDecided(marks: Marks): Marks {
  const decided = [...marks].map(([key, { removal, conflict, rejected }]): [string, KeyMarks] => [
    key,
    { ...(removal && { removal }), ...(conflict && { conflict }), ...(rejected && { rejected }) },
  ]);
  return new Map(decided);
}

/** Unconditional the next time: the other service's tag says nothing here. */
function moveHead(stateFolder: string, { server, project }: Where): void {
  const head: Head | null = readHead(stateFolder);
  if (head !== null) writeHead(stateFolder, { ...head, server, project, etag: null });
}
