/** An open proposal as the text of its pull request tells it: the faces of its memories, never what they say. */
import { faceOf, parseMemory } from "../../../shared/memory/parse-memory.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { Alike, OpenSummary, ProposalText, TextChange } from "../../forge/proposal-text.ts";
import { currentSnapshot, type EngineContext } from "../engine-context.ts";
import { judgeProposal } from "../proposal/judge-proposal.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import type { ServedFile } from "../snapshot/read-served-files.ts";
import { readDetail } from "./read-detail.ts";

export function summarize(context: Pick<EngineContext, "history">, proposal: OpenProposal): OpenSummary {
  const standing = judgeProposal(context.history.index(), proposal);
  const conflicts = [...standing].filter(([, state]) => state === "conflict").map(([key]) => key);
  const { id, head, createdAt } = proposal;
  return { id, head, createdAt, conflicts };
}

/** Null: it is open no longer. */
export async function describeProposal(context: EngineContext, id: string): Promise<ProposalText | null> {
  const open = context.world().open.get(id);
  if (open === undefined) return null;
  const { by, title, diff, checks, changes } = await readDetail(context, open.project, id);
  const { files } = await currentSnapshot(context, open.project);
  const texts = new Map<string, { readonly before: string | null; readonly after: string | null }>(
    diff.map((one) => [one.key, one]),
  );
  const described = changes
    .filter(({ state }) => state === "proposed")
    .map(({ key, kind, baseBlob }) => {
      const { before = null, after = null } = texts.get(key) ?? {};
      const text = kind === "removed" ? before : after;
      const face = text === null ? null : faceOf(key, parseMemory(text));
      return { key, kind, face, since: baseBlob === null ? null : sinceOf(context, open, key) };
    });
  return {
    ...summarize(context, open),
    project: open.project,
    by,
    title,
    changes: described,
    checks,
    alike: findAlike(described, files),
  };
}

function sinceOf({ history }: EngineContext, { project }: OpenProposal, key: string): Date | null {
  const entry = history.index().entries(project, key).at(-1);
  return entry === undefined ? null : new Date(entry.text.at);
}

/** By the very words, whatever their case: what only means the same is for reviewers to see. */
function findAlike(changes: readonly TextChange[], files: ReadonlyMap<MemoryKey, ServedFile>): readonly Alike[] {
  const names = new Map<string, string>();
  const descriptions = new Map<string, string>();
  for (const { key, name, description } of files.values()) {
    names.set(fold(name), key);
    descriptions.set(fold(description), key);
  }
  const proposed = new Set(changes.map(({ key }) => key));
  return changes.flatMap(({ key, kind, face }): Alike[] => {
    if (kind === "removed" || face === null) return [];
    const isOther = (other: string | undefined): other is string => other !== undefined && !proposed.has(other);
    const [byName, byDescription] = [names.get(fold(face.name)), descriptions.get(fold(face.description))];
    if (isOther(byName)) return [{ key, other: byName, by: "name" }];
    return face.description !== "" && isOther(byDescription) ? [{ key, other: byDescription, by: "description" }] : [];
  });
}

function fold(text: string): string {
  return text.trim().replace(/\s+/gu, " ").toLowerCase();
}
