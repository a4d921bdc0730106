import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { SyncContext } from "../context.ts";
import { toTextOrNull } from "../folder/read-local.ts";
import { readAttic } from "../state/attic.ts";
import { grantWish } from "./grant-wish.ts";

/**
 * A text of the attic in place again, as the person's own: what lies there goes to the attic in turn. Called by who holds
 * the lock.
 *
 * @returns the path that it was taken from
 * @throws TeamMemoryError `invalid_memory` where it is no text, `not_found`, `busy`, `disk`, `disk_full`
 */
export async function restoreFromAttic(context: SyncContext, key: MemoryKey, path: string): Promise<string> {
  const bytes = readAttic(context.stateFolder, path);
  if (bytes === null) throw new TeamMemoryError("not_found", `The attic has no such text: ${path}`);
  const text = toTextOrNull(bytes);
  if (text === null) throw new TeamMemoryError("invalid_memory", `It is no UTF-8 text; copy it by hand: ${path}`);
  await grantWish(context, { kind: "take", key, text });
  return path;
}
