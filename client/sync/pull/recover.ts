import { isMemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { listTeam } from "../folder/list-team.ts";
import { resumeMove } from "../folder/move-file.ts";
import { ensureTeamDir } from "../folder/open-folder.ts";
import type { Attic } from "../state/attic.ts";
import { dropJournal, type Journal, readJournal } from "../state/journal.ts";
import { readMarks } from "../state/marks-file.ts";
import { readOutbox } from "../state/outbox.ts";
import { writeState } from "../state/state.ts";
import { type CheckedMove, place } from "./apply-pull.ts";
import { keysUnplaced, settleMarks } from "./carry-out.ts";
import { sweepStrays } from "./sweep-strays.ts";

/**
 * Goes on where a killed pull stopped: every move that its journal names is finished, whatever part of it was done; then
 * the state that it was about to write is written. Killed in turn, it is simply run again.
 *
 * @throws PathTraversalError where somebody has put a link in the way since, TeamMemoryError `disk`, `disk_full`
 */
export function recover({ teamDir, stateFolder }: Folders, attic: Attic): void {
  const journal = readJournal(stateFolder);
  if (journal === null) dropJournal(stateFolder);
  else finish({ teamDir, stateFolder }, journal, attic);
}

interface Folders {
  readonly teamDir: string;
  readonly stateFolder: string;
}

function finish({ teamDir, stateFolder }: Folders, journal: Journal, attic: Attic): void {
  ensureTeamDir(teamDir);
  const moves = journal.moves.filter((move): move is CheckedMove => isMemoryKey(move.key));
  const bases = new Map(moves.map(({ key, base }) => [key, base]));
  const placed = place({ teamDir, attic, moves, move: resumeMove });
  const before = readMarks(stateFolder);
  const marks = settleMarks(journal.next.marks, { ...placed, baseOf: (key) => bases.get(key) ?? null, before });
  const head = { ...journal.next.head, isUnsettled: keysUnplaced(marks).length > 0, sight: null };
  writeState(stateFolder, { ...journal.next, head, marks }, { head, marks: before, outbox: readOutbox(stateFolder) });
  const known = new Set(moves.flatMap(({ displaced }) => displaced ?? []));
  sweepStrays({ teamDir, attic, strays: listTeam(teamDir)?.strays ?? [], known });
}
