import { LIMITS } from "../../../shared/limits.ts";
import { listProposalProblems } from "../../../shared/memory/assert-proposable.ts";
import { faceOf, inspectMemory } from "../../../shared/memory/parse-memory.ts";
import type { MemoryProblem } from "../../../shared/memory/parse-yaml-fields.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { MemoryType } from "../../../shared/protocol/schemas.ts";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { GitId } from "../../git/port.ts";
import type { BlobText, BlobTexts } from "./blob-texts.ts";
import { type QuarantinedFile, toQuarantined } from "./quarantine.ts";

export interface ServedFile {
  readonly key: MemoryKey;
  readonly blob: GitId;
  /** The blob of the canonical text: what clients compare with. */
  readonly canonicalBlob: GitId;
  readonly sizeBytes: number;
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | null;
  /** Why it could not be proposed as it stands: somebody wrote it to the base by git, and it is served all the same. */
  readonly warnings: readonly MemoryProblem[];
}

export interface ReadFiles {
  readonly files: ReadonlyMap<MemoryKey, ServedFile>;
  readonly quarantined: readonly QuarantinedFile[];
}

/** Blobs asked for at once: enough to keep the disk busy, few enough that a large project does not hold the loop. */
const BLOBS_PER_READ = 200;

/** Files by content, in the order given; what comes after a bound is left out. `known` are taken over unread. */
export async function readServedFiles(
  texts: BlobTexts,
  wanted: readonly (readonly [MemoryKey, GitId])[],
  known: ReadonlyMap<MemoryKey, ServedFile>,
): Promise<ReadFiles> {
  const files = new Map<MemoryKey, ServedFile>();
  const quarantined: QuarantinedFile[] = [];
  let bytesLeft: number = LIMITS.projectSizeBytesMax;
  for (let start = 0; start < wanted.length; start += BLOBS_PER_READ) {
    const group = wanted.slice(start, start + BLOBS_PER_READ);
    for (const file of await readGroup(texts, group, known)) {
      const fits = "blob" in file && files.size < LIMITS.memoriesPerProjectMax && file.sizeBytes <= bytesLeft;
      if (fits) files.set(file.key, file);
      else quarantined.push("blob" in file ? toQuarantined(file.key, "R-BUDGET") : file);
      if (fits) bytesLeft -= file.sizeBytes;
    }
  }
  return { files, quarantined };
}

async function readGroup(
  texts: BlobTexts,
  group: readonly (readonly [MemoryKey, GitId])[],
  known: ReadonlyMap<MemoryKey, ServedFile>,
): Promise<(ServedFile | QuarantinedFile)[]> {
  const isKnown = ([key, blob]: readonly [MemoryKey, GitId]) => known.get(key)?.blob === blob;
  const unknown = group.filter((pair) => !isKnown(pair));
  const read = await texts.read(unknown.map(([, blob]) => blob));
  return group.map(([key, blob]) => {
    const file = known.get(key);
    return file?.blob === blob ? file : toFile(key, blob, read.get(blob));
  });
}

function toFile(key: MemoryKey, blob: GitId, read: BlobText = { rule: "R-SIZE" }): ServedFile | QuarantinedFile {
  if ("rule" in read) return toQuarantined(key, read.rule);
  if ([key, read.text].some((text) => scanForSecrets(text).length > 0)) return toQuarantined(key, "R-SECRET");
  const canonicalBlob = blobIdOf(toCanonical(read.text));
  const inspected = inspectMemory(read.text);
  const warnings = listProposalProblems(inspected, read.text).slice(0, LIMITS.problemsPerMemoryMax);
  return { key, blob, canonicalBlob, sizeBytes: read.sizeBytes, ...faceOf(key, inspected.memory), warnings };
}
