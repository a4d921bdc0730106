import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { folderOf, nameOf } from "../folder/key-parts.ts";
import { inFolders } from "../folder/open-folder.ts";
import { readHeld } from "../folder/read-local.ts";
import type { Attic } from "../state/attic.ts";

export interface Sweep {
  readonly teamDir: string;
  readonly attic: Attic;
  /** Names of our own that lie there though no run is under way. */
  readonly strays: readonly string[];
  /** Git ids of bytes that the attic has. */
  readonly known: ReadonlySet<string>;
}

/**
 * Clears what a killed run left under team/: staged files are copies of what the service has; a file moved aside may be
 * the only copy of what somebody wrote in that very moment, and goes to the attic unless it is known to be there.
 */
export function sweepStrays({ teamDir, attic, strays, known }: Sweep): void {
  const members = strays.map((path) => ({ key: path, name: nameOf(path) }));
  inFolders(teamDir, members, (folder, { key, name }) => {
    const local = name.endsWith(".old") ? readHeld(folder, name) : null;
    if (local?.kind === "blocked") return;
    const bytes = local?.bytes ?? null;
    if (bytes === null || bytes.length === 0 || known.has(blobIdOf(bytes))) {
      folder.remove(name);
      return;
    }
    const found = `${folderOf(key)}/${name.slice(1)}.md`.replace(/^\//, "");
    attic.take({ folder, name, key: found, bytes }, { why: "found" });
    attic.flush();
  });
}
