import { findSentText, type Outbox } from "../state/outbox.ts";
import type { Gathered } from "./gather-facts.ts";
import type { ShownMemory } from "./newest.ts";
import type { PlaceStep, PullStep } from "./plan-pull.ts";

export interface LocalSources {
  readonly gathered: Gathered;
  readonly steps: readonly PullStep[];
  /** Texts that were made here, by key. */
  readonly given: ReadonlyMap<string, string>;
  readonly outbox: Outbox;
  /** Keys that the team has. */
  readonly reviewed: { has(key: string): boolean };
}

/**
 * The faces of memories that are on this machine alone. What a reviewer said no to, or the team removed, is not among
 * them, and no face that holds a secret: it would be told to every session. Frontmatter has to be parsed for that, by
 * libraries that are slow to load: only where there is any.
 */
export async function readLocalFaces(sources: LocalSources): Promise<ShownMemory[]> {
  const texts = sources.steps.flatMap((step) => toLocalText(step, sources));
  if (texts.length === 0) return [];
  const [{ faceOf, parseMemory }, { scanForSecrets }] = await Promise.all([
    import("../../../shared/memory/parse-memory.ts"),
    import("../../../shared/secret/scan.ts"),
  ]);
  const faces = texts.map(({ key, text, mtimeMs }) => ({
    key,
    ...faceOf(key, parseMemory(text)),
    changedAt: new Date(mtimeMs).toISOString(),
  }));
  return faces.filter(({ key, name, description }) => scanForSecrets(`${key}\n${name}\n${description}`).length === 0);
}

interface LocalMemory {
  readonly key: string;
  readonly text: string;
  readonly mtimeMs: number;
}

function toLocalText(step: PullStep, sources: LocalSources): LocalMemory[] {
  const { key } = step;
  if (step.kind === "place") return sources.reviewed.has(key) ? [] : toPlacedText(step, sources);
  if (step.kind !== "keep" || (step.state !== "new" && step.state !== "unknown")) return [];
  const local = sources.gathered.texts.get(key);
  if (local?.kind !== "file" || step.marks.rejected?.blob === local.blob) return [];
  return [{ key, text: local.text ?? "", mtimeMs: local.mtimeMs }];
}

function toPlacedText({ key, text: source }: PlaceStep, { given, outbox }: LocalSources): LocalMemory[] {
  const text = source === "given" ? given.get(key) : findSentText(outbox, key);
  return text === undefined || text === null ? [] : [{ key, text, mtimeMs: Date.now() }];
}
