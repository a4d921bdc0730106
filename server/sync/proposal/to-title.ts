import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { KeyChange } from "./proposal.ts";

/** What a proposal is called to which nobody gave a title: made of what it proposes, so that it grows and shrinks with it. */
export function toTitle(changes: ReadonlyMap<MemoryKey, Pick<KeyChange, "blob">>): string {
  const [first, ...others] = [...changes.keys()].sort();
  if (first === undefined) return "Propose nothing any more";
  const isRemoval = [...changes.values()].every(({ blob }) => blob === null);
  return `${isRemoval ? "Remove" : "Propose"} ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
