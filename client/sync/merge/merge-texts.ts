import type { mergeMemory } from "../../../shared/sync/merge-memory.ts";
import { toRemoteText } from "../pull/copies.ts";
import type { Gathered } from "../pull/gather-facts.ts";
import type { MergeStep } from "../pull/plan-pull.ts";
import { findSentText } from "../state/outbox.ts";
import { type BaseSources, findBase } from "./find-base.ts";
import type { Merged } from "./resolve-merges.ts";

export interface MergeSources extends BaseSources {
  readonly local: Gathered["texts"];
}

/** Without mine as a text, or without the text that both started from, nothing is merged: a person has to look. */
export function toMerge(sources: MergeSources, merge: typeof mergeMemory): (step: MergeStep) => Merged {
  const toTheirs = toRemoteText(sources.stateFolder, sources.copies);
  return (step) => {
    const base = step.base === null ? null : findBase(sources, step.key, step.base);
    const mine = findMine(sources, step);
    if (mine === null || (base === null && step.base !== null)) return { kind: "conflict", base };
    const merged = merge(base, mine, toTheirs(step.key));
    return merged.kind === "merged" ? merged : { kind: "conflict", base };
  };
}

function findMine({ local, outbox }: MergeSources, { key, source }: MergeStep): string | null {
  if (source === "proposed") return findSentText(outbox, key);
  const here = local.get(key);
  return here?.kind === "file" ? here.text : null;
}
