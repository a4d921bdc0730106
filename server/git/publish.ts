/**
 * Compare-and-swap of references on disk. All locks are taken in the order of their names (so that two writers never wait
 * for each other in a ring), all values are compared under them, then they are moved.
 *
 * Killed between two moves: the base moves first and deletions come last, so what is left is a base that holds the
 * change and a branch that is merged but still there, which the next look recognises as merged. Never a branch gone
 * whose change is not in the base.
 */
import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { syncFolderOf, writeFileAtomic } from "./atomic-file.ts";
import type { PublishOutcome, RefUpdate } from "./port.ts";
import { readRef, readRefs } from "./read-refs.ts";
import { type Lock, takeLock } from "./ref-lock.ts";
import { assertRefName } from "./ref-name.ts";
import { isMissing } from "./translate-git-error.ts";

interface Publication {
  readonly gitDir: string;
  readonly baseRef: string;
  readonly updates: readonly RefUpdate[];
}

/** Throws `bad_request` for names, `unavailable` when a lock does not come free or a name stands in another's way. */
export async function publishOnDisk({ gitDir, baseRef, updates }: Publication): Promise<PublishOutcome> {
  const moves = planMoves(updates, baseRef);
  const locks: Lock[] = [];
  try {
    for (const ref of moves.map((move) => move.ref).sort()) locks.push(await takeLock(gitDir, ref));
    const lost = await findLost(gitDir, moves);
    if (lost !== null) return { kind: "lost", ref: lost };
    for (const move of moves) await applyMove(gitDir, move);
    return { kind: "published" };
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/** The order in which references move. Naming one twice is the caller's mistake. */
export function planMoves(updates: readonly RefUpdate[], baseRef: string): readonly RefUpdate[] {
  for (const { ref } of updates) assertRefName(ref);
  if (new Set(updates.map(({ ref }) => ref)).size < updates.length) {
    throw new RangeError("one reference stands twice in one publication");
  }
  const rank = (update: RefUpdate) => (update.new === null ? 2 : update.ref === baseRef ? 0 : 1);
  return updates.toSorted((one, other) => rank(one) - rank(other));
}

async function findLost(gitDir: string, moves: readonly RefUpdate[]): Promise<string | null> {
  for (const { ref, expectedOld, new: id } of moves) {
    if ((await readRef(gitDir, ref)) !== expectedOld) return ref;
    if (expectedOld === null && id !== null) await assertNameIsFree(gitDir, ref);
  }
  return null;
}

/** `refs/heads/a` and `refs/heads/a/b` cannot both exist. */
async function assertNameIsFree(gitDir: string, ref: string): Promise<void> {
  const parts = ref.split("/");
  const above = parts.map((_, index) => parts.slice(0, index).join("/")).filter((name) => name.split("/").length > 2);
  for (const name of above) {
    if ((await readRef(gitDir, name)) !== null) throw inTheWay(ref, name);
  }
  const [below] = (await readRefs(gitDir, `${ref}/`)).keys();
  if (below !== undefined) throw inTheWay(ref, below);
}

function inTheWay(ref: string, other: string): TeamMemoryError {
  return new TeamMemoryError("unavailable", `could not create ${ref}: ${other} stands in its way`);
}

async function applyMove(gitDir: string, move: RefUpdate): Promise<void> {
  const path = join(gitDir, move.ref);
  if (move.new === null) {
    await removeFromPackedRefs(gitDir, move.ref);
    await unlink(path).catch(ignoreMissing);
  } else {
    await writeFileAtomic(path, `${move.new}\n`, { tempFolder: gitDir, tempPrefix: "tmp_ref_", mode: 0o644 });
  }
  await syncFolderOf(path);
}

/** Before the file goes, or the older packed value would show for an instant. */
async function removeFromPackedRefs(gitDir: string, ref: string): Promise<void> {
  const path = join(gitDir, "packed-refs");
  const lock = await takeLock(gitDir, "packed-refs");
  try {
    const text = await readFile(path, "latin1").catch(emptyWhenMissing);
    const rest = withoutPackedRef(text, ref);
    if (rest === text) return;
    await writeFileAtomic(path, Buffer.from(rest, "latin1"), {
      tempFolder: gitDir,
      tempPrefix: "tmp_ref_",
      mode: 0o644,
    });
  } finally {
    await lock.release();
  }
}

/** The file's text without one reference, and without the line that says what it, a tag, points at. */
export function withoutPackedRef(text: string, ref: string): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.slice(41) === ref && !line.startsWith("#"));
  if (at === -1) return text;
  const count = lines[at + 1]?.startsWith("^") === true ? 2 : 1;
  return lines.toSpliced(at, count).join("\n");
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function emptyWhenMissing(error: unknown): string {
  if (isMissing(error)) return "";
  throw error;
}
