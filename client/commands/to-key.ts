import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { isMemoryKey, type MemoryKey, sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { readLocal } from "../sync/folder/read-local.ts";
import { listAtticOf } from "../sync/state/list-attic.ts";
import { readPristine } from "../sync/state/pristine.ts";
import { readState } from "../sync/state/state.ts";

/**
 * The memory that a person means, in this place.
 *
 * @throws PathTraversalError for what can be no key; TeamMemoryError `usage` for the index, and where only the ending is
 *   missing
 */
export function toKey(context: SyncContext, said: string | undefined): MemoryKey {
  return parseKey(said ?? "", (key) => isKnown(context, key));
}

/**
 * As it was said; else without the folder's own name before it, for paths are pasted. Pure but for what `isKnown` looks at:
 * a folder below `team/` may be called `team`, too.
 */
export function parseKey(said: string, isKnown: (key: MemoryKey) => boolean): MemoryKey {
  const bare = said.startsWith(TEAM) ? said.slice(TEAM.length) : said;
  if (bare !== said && isMemoryKey(said) && isKnown(said)) return said;
  if (["memory", "memory.md"].includes(bare.toLowerCase())) throw toIndexError(bare);
  if (!bare.endsWith(".md") && isMemoryKey(`${bare}.md`)) throw toUnended(bare, isKnown(`${bare}.md` as MemoryKey));
  return sanitizePathKey(bare);
}

const TEAM = "team/";

function toIndexError(said: string): TeamMemoryError {
  const usage = "It is made anew of the memories with each pull; those are listed by: team-memory status";
  return new TeamMemoryError("usage", `No memory, but the index of them: ${said}`, { details: { usage } });
}

function toUnended(bare: string, isKnown: boolean): TeamMemoryError {
  const usage = isKnown ? `Did you mean ${bare}.md?` : "A key is a path below team/, with its .md at the end";
  return new TeamMemoryError("usage", `No key, for it does not end in .md: ${bare}`, { details: { usage } });
}

function isKnown(context: SyncContext, key: MemoryKey): boolean {
  const { teamDir, stateFolder } = context;
  const { head, marks } = readState(stateFolder, toWhere(context));
  return (
    marks.has(key) ||
    readLocal(teamDir, key).kind !== "absent" ||
    readPristine(stateFolder, head.packs)?.has(key) === true ||
    listAtticOf(stateFolder, key).length > 0
  );
}
