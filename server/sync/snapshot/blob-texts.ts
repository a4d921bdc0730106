/** Memory texts by blob id, shared by all projects and snapshots. Ids never change their text, so nothing goes stale. */
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { decodeMemory } from "../../../shared/memory/to-canonical.ts";
import type { GitId, GitPort } from "../../git/port.ts";
import { buildBoundedMap } from "./bounded-map.ts";

/** The text, byte for byte as in git, or the rule that the blob breaks. */
export type BlobText =
  | { readonly text: string; readonly sizeBytes: number }
  | { readonly rule: "R-SIZE" | "R-ENCODING" };

export interface BlobTexts {
  /**
   * Every id that was asked for.
   * @throws TeamMemoryError repository_damaged for one that is missing: damage is not quarantine, nothing is taken away
   */
  read(ids: readonly GitId[]): Promise<ReadonlyMap<GitId, BlobText>>;
}

export function buildBlobTexts(git: Pick<GitPort, "readBlobs">): BlobTexts {
  const kept = buildBoundedMap<GitId, BlobText>({
    countMax: LIMITS.blobsInMemorySizeBytesMax,
    weightMax: LIMITS.blobsInMemorySizeBytesMax,
    weigh: (blob) => BLOB_OVERHEAD_BYTES + ("text" in blob ? blob.sizeBytes : 0),
  });
  return {
    read: async (ids) => {
      const found = new Map<GitId, BlobText>();
      const missing = new Set<GitId>();
      for (const id of ids) {
        const blob = kept.get(id);
        if (blob === undefined) missing.add(id);
        else found.set(id, blob);
      }
      if (missing.size === 0) return found;
      for (const [id, bytes] of await git.readBlobs([...missing], LIMITS.memorySizeBytesMax)) {
        const blob = toBlobText(bytes);
        kept.set(id, blob);
        found.set(id, blob);
      }
      const lost = ids.find((id) => !found.has(id));
      if (lost === undefined) return found;
      throw new TeamMemoryError("repository_damaged", `could not read the memory ${lost}: the blob is missing`);
    },
  };
}

/** Id, object and map entry, roughly. */
const BLOB_OVERHEAD_BYTES = 200;

// The byte order mark is part of the text here: the text must hash to the blob's id again.
const EXACT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function toBlobText(bytes: Uint8Array | null): BlobText {
  if (bytes === null) return { rule: "R-SIZE" };
  try {
    decodeMemory(bytes);
    return { text: EXACT.decode(bytes), sizeBytes: bytes.byteLength };
  } catch (error) {
    if (isTeamMemoryError(error)) return { rule: "R-ENCODING" };
    throw error;
  }
}
