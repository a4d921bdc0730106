import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Conflict } from "../sync/wish/conflicts.ts";

/**
 * What a person edits to decide a conflict: mine, to be made into what should stand; below a line of ours, to copy from, the
 * team's text and what both started from. Nothing of ours can end up in a memory: what is below the line is left out, and a
 * text that holds a line of ours is refused.
 */
export function toEditBuffer({ mine, theirs, base }: Pick<Conflict, "mine" | "theirs" | "base">): string {
  return [
    mine ?? "",
    `${CUT}\n`,
    `\n${THEIRS}\n\n${theirs ?? "(removed)\n"}`,
    `\n${BASE}\n\n${base ?? "(nothing, or not known any more)\n"}`,
  ].join("");
}

const OURS = "=== team-memory:";
const CUT = `${OURS} make what stands above this line the memory; this line and all below are left out ===`;
const THEIRS = `${OURS} the team's text, in place now ===`;
const BASE = `${OURS} what both started from ===`;

/** The text above the line; all of it where the person took the line and what is below away. @throws TeamMemoryError `usage` */
export function fromEditBuffer(edited: string, { mine }: Pick<Conflict, "mine">): string {
  const lines = edited.replaceAll("\r\n", "\n").split("\n");
  const end = lines.indexOf(CUT);
  const text = (end === -1 ? lines : [...lines.slice(0, end), ""]).join("\n");
  if (text.trim() === "") throw refused("Nothing was left above the line");
  if (text === mine) throw refused("What stands above the line was not changed; --mine takes it as it is");
  if (text.split("\n").some((line) => line.startsWith(OURS))) throw refused("A line of ours is still in the text");
  return text;
}

function refused(message: string): TeamMemoryError {
  const usage = "Nothing is decided: team-memory conflicts resolve KEY --edit, or --text-file FILE";
  return new TeamMemoryError("usage", message, { details: { usage } });
}
