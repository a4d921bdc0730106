import type { GitId } from "../../git/port.ts";

/** What the client last sent for a key: a blob, a removal (null), or that it proposes nothing there. */
export type Sent = { readonly blob: GitId | null } | "nothing";

export type SentSet = ReadonlyMap<string, Sent>;

export function toSent(change: { readonly blob: GitId | null } | undefined): Sent {
  return change === undefined ? "nothing" : { blob: change.blob };
}

export function isSameSent(one: Sent, other: Sent): boolean {
  return one === "nothing" || other === "nothing" ? one === other : one.blob === other.blob;
}

/** Where a branch does not have what was sent, because a person has committed to it: what was sent. */
export function findOverrides(sent: SentSet, branch: ReadonlyMap<string, { readonly blob: GitId | null }>): SentSet {
  const keys = new Set([...sent.keys(), ...branch.keys()]);
  const pairs = [...keys].map((key) => [key, sent.get(key) ?? "nothing"] as const);
  return new Map(pairs.filter(([key, was]) => !isSameSent(was, toSent(branch.get(key)))));
}
