import { LIMITS } from "../../../shared/limits.ts";
import { asArray, asCount, asGitId, asNumber, asObject, asText, orNull } from "../json-shape.ts";
import { assertFormatKnown, readJsonFile, STATE_FORMAT, writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * The state's root: what was pulled last and where its texts lie. Replaced whole when a pull is done, so it is the moment
 * at which a pull counts; "nothing new" reads this file alone.
 */
export interface Head {
  readonly server: string;
  readonly project: string;
  readonly tree: string;
  /** Null: never pulled. */
  readonly revision: string | null;
  /** Opaque; null where the next request should not be conditional. */
  readonly etag: string | null;
  readonly memories: number;
  /** Files of the remote that the service hands to nobody. */
  readonly quarantined: number;
  /** In the order in which they were pulled; a later record of a key wins. */
  readonly packs: readonly PackName[];
  /** Open proposals of this machine: their outcomes are asked for with each pull. */
  readonly proposals: readonly string[];
  /** Keys are waiting to be placed: nothing new is not nothing to do. */
  readonly isUnsettled: boolean;
  /** The team folder as it was left; null: not known. */
  readonly sight: Sight | null;
}

export interface PackName {
  readonly name: string;
  /** Where the records end and the texts begin. */
  readonly recordsSizeBytes: number;
}

/** By these few numbers a folder is known to hold the same names as before, without listing it. */
export interface Sight {
  readonly seenAtMs: number;
  readonly bootedAtMs: number;
  readonly folders: readonly FolderSight[];
  readonly index: FileSight | null;
  /** The files that this machine alone has: the index shows what they held, so a change of one is something new. */
  readonly locals: readonly LocalSight[];
}

export interface FolderSight {
  /** Below the team folder, `/`-separated; empty: the team folder itself. */
  readonly path: string;
  readonly mtimeMs: number;
  /** How many names it holds, and a sum over them. */
  readonly count: number;
  readonly sum: number;
}

export interface LocalSight extends FileSight {
  readonly path: string;
  readonly ctimeMs: number;
}

export interface FileSight {
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/**
 * Null: there is none, or it is damaged. Both are healed by pulling everything.
 *
 * @throws TeamMemoryError `upgrade_required`, `disk`
 */
export function readHead(stateFolder: string): Head | null {
  const path = statePath(stateFolder, "head");
  return readJsonFile(path, LIMITS.clientStateSizeBytesMax, (json) => {
    assertFormatKnown(path, json);
    return parseHead(json);
  });
}

export function writeHead(stateFolder: string, head: Head): void {
  writeWhole(statePath(stateFolder, "head"), JSON.stringify({ format: STATE_FORMAT, ...head }), { isDurable: true });
}

export function parseHead(json: unknown): Head | null {
  const head = asObject(json);
  if (head["format"] !== STATE_FORMAT) return null;
  return {
    server: asText(head["server"], LIMITS.urlLengthMax),
    project: asText(head["project"], LIMITS.projectNameLengthMax),
    tree: asGitId(head["tree"]),
    revision: orNull(head["revision"], asGitId),
    etag: orNull(head["etag"], (etag) => asText(etag, LIMITS.etagLengthMax)),
    memories: asCount(head["memories"]),
    quarantined: asCount(head["quarantined"] ?? 0),
    packs: asArray(head["packs"], LIMITS.pristinePacksMax * 2).map(parsePack),
    proposals: asArray(head["proposals"], LIMITS.proposalIdsPerPullMax).map((id) => asText(id, 26)),
    isUnsettled: head["isUnsettled"] === true,
    sight: orNull(isWatching(head["sight"]) ? head["sight"] : null, parseSight),
  };
}

function parsePack(json: unknown): PackName {
  const pack = asObject(json);
  const name = asText(pack["name"], 64);
  if (!/^[0-9a-z-]+\.pack$/.test(name)) throw new TypeError("not a pack's name");
  return { name, recordsSizeBytes: asCount(pack["recordsSizeBytes"]) };
}

/** An older client's sight knew of no files: what it left is looked at once more. */
function isWatching(sight: unknown): boolean {
  return typeof sight === "object" && sight !== null && "locals" in sight;
}

function parseSight(json: unknown): Sight {
  const sight = asObject(json);
  return {
    seenAtMs: asNumber(sight["seenAtMs"]),
    bootedAtMs: asNumber(sight["bootedAtMs"]),
    folders: asArray(sight["folders"], LIMITS.localFilesMax).map((folder) => {
      const { path, mtimeMs, count, sum } = asObject(folder);
      return {
        path: asText(path, LIMITS.keySizeBytesMax),
        mtimeMs: asNumber(mtimeMs),
        count: asCount(count),
        sum: asCount(sum),
      };
    }),
    index: orNull(sight["index"], parseFileSight),
    locals: asArray(sight["locals"], LIMITS.watchedFilesMax).map((local) => ({
      path: asText(asObject(local)["path"], LIMITS.keySizeBytesMax),
      ctimeMs: asNumber(asObject(local)["ctimeMs"]),
      ...parseFileSight(local),
    })),
  };
}

function parseFileSight(json: unknown): FileSight {
  const { sizeBytes, mtimeMs, ino } = asObject(json);
  return { sizeBytes: asCount(sizeBytes), mtimeMs: asNumber(mtimeMs), ino: asNumber(ino) };
}
