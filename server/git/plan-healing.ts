import { LIMITS } from "../../shared/limits.ts";
import { HIDDEN_REF, REPOSITORY_NAME, UNFINISHED_PREFIX } from "./create-repository.ts";

/** A file or folder of the repository, seen at start. */
export interface Seen {
  /** From the data folder, with `/`: `memory.git/objects/ab/…`. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly sizeBytes: number;
  readonly ageMs: number;
}

export type Healing = "keep" | "remove" | "break lock if dead";

/** Names under which git and we write what is not finished: objects, packs, references, incoming pushes. */
const UNFINISHED = /^(?:tmp_|\.tmp-)/u;

/** Never empty when sound, and put in place by a rename, so that one that is empty was emptied by a power cut. */
const NEVER_EMPTY =
  /(?:\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}|\/objects\/pack\/pack-[0-9a-f]+\.(?:pack|idx|rev)|\.git\/HEAD|\.git\/config)$/u;

/**
 * What to do with one file. An empty branch file stops native git altogether and goes; the base and our own state stay,
 * and opening fails: falling back to an older packed value would turn back time for everybody without a word.
 */
export function planHealing(seen: Seen, baseRef: string): Healing {
  const name = seen.path.slice(seen.path.lastIndexOf("/") + 1);
  const isOurs = seen.path.startsWith(`${REPOSITORY_NAME}/`);
  const isUnfinished = isOurs ? UNFINISHED.test(name) : name.startsWith(UNFINISHED_PREFIX);
  if (isUnfinished) return seen.ageMs > LIMITS.gitUnfinishedAgeMs ? "remove" : "keep";
  if (!isOurs) return "keep";
  if (seen.isFolder) return "keep";
  if (name.endsWith(".lock")) return "break lock if dead";
  if (seen.sizeBytes > 0) return "keep";
  if (NEVER_EMPTY.test(seen.path)) return "remove";
  const ref = /\/(?<ref>refs\/.+)$/u.exec(seen.path)?.groups?.["ref"];
  return ref === undefined || ref === baseRef || ref === HIDDEN_REF ? "keep" : "remove";
}
