import { readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { type SyncContext, toWhere } from "../context.ts";
import { toTextOrNull } from "../folder/read-local.ts";
import { atticFolder, readAttic } from "../state/attic.ts";
import { readTouchedAtMs, touch } from "../state/freshness.ts";
import { statePath } from "../state/layout.ts";
import { type AtticText, listAttic } from "../state/list-attic.ts";
import { listParked } from "../state/marks.ts";
import { readPristine } from "../state/pristine.ts";
import { type OpenedState, readState } from "../state/state.ts";
import { planPrune } from "./plan-prune.ts";

/**
 * Keeps the attic within its bounds, once a day, by planPrune. Called by who holds the lock, when a pull is done: a kill in
 * the middle leaves whole texts, and the next day's run goes on.
 *
 * @throws TeamMemoryError `disk`, `disk_full`
 */
export function pruneAttic(context: SyncContext, nowMs: number): readonly AtticText[] {
  const { stateFolder } = context;
  const pruned = statePath(stateFolder, "pruned");
  const ageMs = nowMs - (readTouchedAtMs(pruned) ?? 0);
  if (ageMs >= 0 && ageMs < LIMITS.atticPruneIntervalMs) return [];
  const leaving = plan(stateFolder, readState(stateFolder, toWhere(context)), nowMs);
  for (const { path } of leaving) removeText(atticFolder(stateFolder), path);
  touch(pruned, nowMs);
  return leaving;
}

function plan(stateFolder: string, { head, marks, outbox }: OpenedState, nowMs: number): AtticText[] {
  // Read once it is asked for: on most days nothing is due.
  let elsewhere: ReadonlySet<string | null> | null = null;
  const listElsewhere = () => {
    const pristine = readPristine(stateFolder, head.packs) ?? new Map();
    const sent = (outbox.open?.changes ?? []).map(({ blob }) => blob);
    return new Set([...[...pristine.values()].map(({ canonicalBlob }) => canonicalBlob), ...sent]);
  };
  return planPrune({
    texts: listAttic(stateFolder),
    nowMs,
    named: new Set([...marks.values()].flatMap((of) => [...listParked(of), of.conflict?.base ?? ""])),
    blobOf: (path) => toBlob(readAttic(stateFolder, path)),
    isElsewhere: (blob) => {
      elsewhere ??= listElsewhere();
      return elsewhere.has(blob);
    },
  });
}

function toBlob(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : blobIdOf(toTextOrNull(bytes) ?? bytes);
}

/** The folders that it leaves empty go with it. */
function removeText(attic: string, path: string): void {
  rmSync(join(attic, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (readdirSync(join(attic, folder)).length > 0) return;
    rmdirSync(join(attic, folder));
  }
}
