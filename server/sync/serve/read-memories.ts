import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Upsert } from "../../../shared/protocol/schemas.ts";
import type { EngineContext } from "../engine-context.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import type { ServedFile } from "../snapshot/read-served-files.ts";

/** Served files with their texts, and with when and by whom they got them. */
export async function readMemories(
  { texts, history }: Pick<EngineContext, "texts" | "history">,
  project: ProjectName,
  files: readonly ServedFile[],
): Promise<Upsert[]> {
  const blobs = await texts.read(files.map(({ blob }) => blob));
  return files.flatMap((file) => {
    const blob = blobs.get(file.blob);
    return blob === undefined || "rule" in blob
      ? []
      : [toUpsert(history.index(), project, { ...file, text: blob.text })];
  });
}

function toUpsert(index: HistoryIndex, project: ProjectName, file: ServedFile & { readonly text: string }): Upsert {
  const { key, blob, text, name, description, type } = file;
  const origin = index.entryOf(project, key, blob)?.text ?? { at: 0, by: "" };
  return { key, blob, text, name, description, type, changedAt: toIsoDate(origin.at), changedBy: origin.by };
}

export function toIsoDate(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
