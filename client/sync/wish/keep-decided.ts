import { openAttic, readAttic } from "../state/attic.ts";
import { listParked, type Marks } from "../state/marks.ts";

/**
 * Before a decision about a key forgets that texts of it were parked: they stayed for as long as nobody had decided, and
 * from now on may go in their time, as other texts do.
 *
 * @returns whether there are any: a conflict is decided then
 * @throws TeamMemoryError `disk`, `disk_full`
 */
export function keepDecided(stateFolder: string, key: string, marks: Marks): boolean {
  const parked = listParked(marks.get(key) ?? {});
  if (parked.length === 0) return false;
  const attic = openAttic(stateFolder, new Date());
  for (const path of parked) {
    const bytes = readAttic(stateFolder, path);
    if (bytes !== null) attic.put(key, bytes, "resolved");
  }
  attic.flush();
  return true;
}
