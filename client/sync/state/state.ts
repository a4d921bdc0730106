import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type Head, readHead, writeHead } from "./head.ts";
import { dropJournal, type State } from "./journal.ts";
import { readMarksOrLost, writeMarks } from "./marks-file.ts";
import { readOutbox, writeOutbox } from "./outbox.ts";

export interface Where {
  readonly server: string;
  readonly project: string;
}

/** `isFirst`: nothing is known of an earlier pull, or what is known is damaged. */
export interface OpenedState extends State {
  readonly isFirst: boolean;
  /** The marks were damaged: but for conflicts, what was decided about single keys is not known. */
  readonly isUnsure: boolean;
}

/** What the head of a memory directory says that never pulled; its tree is git's empty one. */
export function emptyHead({ server, project }: Where): Head {
  return {
    server,
    project,
    tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    revision: null,
    etag: null,
    memories: 0,
    quarantined: 0,
    packs: [],
    proposals: [],
    isUnsettled: false,
    sight: null,
  };
}

/** @throws TeamMemoryError `state_moved`, `disk` */
export function readState(stateFolder: string, where: Where): OpenedState {
  const head = readHead(stateFolder);
  if (head !== null) assertSamePlace(head, where);
  const { marks, isDamaged } = readMarksOrLost(stateFolder);
  return {
    head: head ?? emptyHead(where),
    marks,
    isUnsure: isDamaged,
    outbox: readOutbox(stateFolder),
    isFirst: head === null,
  };
}

/**
 * The copies here came from another service, or are about another project: nobody else's memories are mixed into them.
 *
 * @throws TeamMemoryError `state_moved`
 */
export function assertSamePlace(head: Head, { server, project }: Where): void {
  if (head.server === server && head.project === project) return;
  throw new TeamMemoryError("state_moved", `The local copies are of ${head.project} at ${head.server}`, {
    details: { was: { server: head.server, project: head.project }, is: { server, project } },
  });
}

/** The head last: with it, the pull counts. Then the journal has nothing left to say. */
export function writeState(stateFolder: string, next: State, before: State): void {
  if (next.marks !== before.marks) writeMarks(stateFolder, next.marks);
  if (next.outbox !== before.outbox) writeOutbox(stateFolder, next.outbox);
  writeHead(stateFolder, next.head);
  dropJournal(stateFolder);
}
