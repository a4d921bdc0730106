import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { KeepStep, KeyFacts, PlaceStep, PullStep } from "../pull/plan-pull.ts";
import { type KeyMarks, NO_MARKS } from "../state/marks.ts";

/** What a person asks for one memory by name, whatever was planned for it. */
export type Wish =
  /** As the team has it: its text, or nothing where the team has none. */
  | { readonly kind: "revert"; readonly key: MemoryKey }
  /** This text of their own, to be proposed. Canonical. */
  | { readonly kind: "take"; readonly key: MemoryKey; readonly text: string };

/**
 * The wish as one step: pure. All that was remembered of the key is answered by it. Null: what lies there cannot be
 * displaced.
 */
export function planWish(facts: KeyFacts, wish: Wish): PullStep | null {
  const { local } = facts;
  if (local.kind === "blocked") return null;
  const here = local.kind === "file" ? local.blob : null;
  return wish.kind === "revert" ? planRevert(facts, here) : planTake(facts, here, blobIdOf(wish.text));
}

function planRevert({ key, remote, proposed }: KeyFacts, here: string | null): PullStep {
  // What was sent of it leaves the proposal: a pull would bring it back from there.
  const isSent = proposed !== null && !proposed.isMerged && proposed.blob !== null;
  const marks: KeyMarks = remote === null && isSent ? { removal: { blob: null } } : NO_MARKS;
  if (remote === null && here !== null) return { kind: "remove", key, expected: here, marks };
  if (remote === null || here === remote)
    return { kind: "keep", key, state: here === null ? "absent" : "in_sync", marks };
  return place(key, { blob: remote, text: "remote", expected: here, because: "restored" }, marks);
}

function planTake({ key, remote }: KeyFacts, here: string | null, blob: string): PullStep {
  const marks: KeyMarks = remote === null ? { restore: { blob } } : NO_MARKS;
  if (here === blob) return { kind: "keep", key, state: toState(remote, blob), marks };
  const text = blob === remote ? "remote" : "given";
  return place(key, { blob, text, expected: here, because: "chosen" }, marks);
}

function toState(remote: string | null, blob: string): KeepStep["state"] {
  if (remote === null) return "new";
  return remote === blob ? "in_sync" : "changed";
}

type Placing = Pick<PlaceStep, "blob" | "text" | "expected" | "because">;

function place(key: MemoryKey, placing: Placing, marks: KeyMarks): PlaceStep {
  return { kind: "place", key, ...placing, parks: null, marks };
}
