import type { Gathered } from "./gather-facts.ts";
import type { ShownMemory } from "./newest.ts";
import type { PullStep } from "./plan-pull.ts";
import type { Outbox } from "./state/outbox.ts";

export interface LocalSources {
  readonly gathered: Gathered;
  readonly steps: readonly PullStep[];
  readonly outbox: Outbox;
}

/**
 * The faces of memories that are on this machine alone. What a reviewer said no to, or the team removed, is not among
 * them. Frontmatter has to be parsed for that, by libraries that are slow to load: only where there is any.
 */
export async function readLocalFaces({ gathered, steps, outbox }: LocalSources): Promise<ShownMemory[]> {
  const texts = steps.flatMap((step) => toLocalText(step, gathered, outbox));
  if (texts.length === 0) return [];
  const { faceOf, parseMemory } = await import("../../shared/memory/parse-memory.ts");
  return texts.map(({ key, text, mtimeMs }) => ({
    key,
    ...faceOf(key, parseMemory(text)),
    changedAt: new Date(mtimeMs).toISOString(),
  }));
}

interface LocalMemory {
  readonly key: string;
  readonly text: string;
  readonly mtimeMs: number;
}

function toLocalText(step: PullStep, { texts }: Gathered, outbox: Outbox): LocalMemory[] {
  const { key } = step;
  if (step.kind === "place" && step.text === "proposed") {
    const sent = outbox.open?.changes.find((change) => change.key === key);
    return sent?.baseBlob === null ? [{ key, text: sent.text ?? "", mtimeMs: Date.now() }] : [];
  }
  if (step.kind !== "keep" || (step.state !== "new" && step.state !== "unknown")) return [];
  const local = texts.get(key);
  if (local?.kind !== "file" || step.marks.rejected?.blob === local.blob) return [];
  return [{ key, text: local.text ?? "", mtimeMs: local.mtimeMs }];
}
