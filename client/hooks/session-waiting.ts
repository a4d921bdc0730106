import { countOf } from "../count-of.ts";
import type { SyncContext } from "../sync/context.ts";
import { listDamaged } from "../sync/state/durable-file.ts";
import type { KeyMarks, Marks } from "../sync/state/marks.ts";
import { readMarks } from "../sync/state/marks-file.ts";

/**
 * What waits for the person to decide, in one line of ours without any name in it; empty where nothing does, or where that
 * cannot be told. Said at each session's start, for nothing else reminds of it.
 */
export async function describeWaiting(context: SyncContext): Promise<string> {
  const decisions = await describeDecisions(context);
  const isDamaged = listDamaged(context.stateFolder).length > 0;
  return [decisions, isDamaged ? DAMAGED : ""].filter((line) => line !== "").join(" ");
}

const DAMAGED = "A file of what was decided on this machine is damaged; team-memory status names it.";

async function describeDecisions({ stateFolder, teamDir }: SyncContext): Promise<string> {
  try {
    const marks = readMarks(stateFolder);
    const isOpen = ({ conflict, rejected, unplaced }: KeyMarks) => (conflict ?? rejected ?? unplaced) !== undefined;
    if (![...marks.values()].some(isOpen)) return "";
    // On demand: at most starts of a session nothing waits.
    const [{ readLocal }, { isMemoryKey }] = await Promise.all([
      import("../sync/folder/read-local.ts"),
      import("../../shared/path/sanitize-path-key.ts"),
    ]);
    return toWaitingText(marks, (key) => {
      const local = isMemoryKey(key) ? readLocal(teamDir, key) : null;
      return local?.kind === "file" ? local.blob : null;
    });
  } catch {
    return "";
  }
}

/** @param blobOf of the text that lies here; null: none. One that was changed since it was rejected waits no more */
export function toWaitingText(marks: Marks, blobOf: (key: string) => string | null): string {
  const found = [...marks].map(([key, of]) => toKind(of, () => blobOf(key)));
  const counts = KINDS.map(([kind, one, many]) => [found.filter((is) => is === kind).length, one, many] as const);
  const said = counts.filter(([count]) => count > 0).map(([count, one, many]) => countOf(count, one, many));
  return said.length === 0 ? "" : `Waiting for the user to decide: ${said.join(", ")}; team-memory status names them.`;
}

const KINDS = [
  ["conflict", "conflict", "conflicts"],
  ["rejected", "text that a reviewer said no to", "texts that a reviewer said no to"],
  ["unplaced", "memory that could not be put in place", "memories that could not be put in place"],
] as const;

/** One a key, as in the status. */
function toKind({ unplaced, conflict, rejected }: KeyMarks, blobOf: () => string | null) {
  if (unplaced !== undefined) return "unplaced";
  if (conflict !== undefined) return "conflict";
  return rejected !== undefined && rejected.blob === blobOf() ? "rejected" : null;
}
