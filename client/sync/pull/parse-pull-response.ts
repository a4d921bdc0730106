import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { findKeyCollisions } from "../../../shared/path/key-set.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { type MemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import type { MemoriesResponse, ProposalOutcome, Upsert } from "../../../shared/protocol/schemas.ts";
import { asArray, asBoolean, asCount, asGitId, asObject, asText, orNull } from "../json-shape.ts";
import { parseFace } from "../state/pristine-record.ts";

/**
 * What the service says was changed, from untrusted JSON, by hand: a schema library takes longer to load than the whole
 * pull. The first layer's rules are applied to every key, and one bad key refuses everything.
 */
export interface PullResponse extends Omit<MemoriesResponse, "upserts" | "removals"> {
  readonly upserts: readonly ReceivedUpsert[];
  readonly removals: readonly MemoryKey[];
}

export type ReceivedUpsert = Upsert & { readonly key: MemoryKey };

/**
 * @throws PathTraversalError for a key that breaks a rule, or two that cannot lie side by side
 * @throws TeamMemoryError `bad_response` for anything else that is not what was asked for
 */
export function parsePullResponse(json: unknown, project: string): PullResponse {
  try {
    const response = parseShape(json);
    if (response.project !== project) throw new TypeError("not the project that was asked for");
    assertNoneTwice(response);
    return response;
  } catch (error) {
    if (error instanceof TeamMemoryError) throw error;
    throw new TeamMemoryError("bad_response", `Could not use the service's answer: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function parseShape(json: unknown): PullResponse {
  const response = asObject(json);
  return {
    project: asText(response["project"], LIMITS.projectNameLengthMax),
    tree: asGitId(response["tree"]),
    revision: asGitId(response["revision"]),
    full: asBoolean(response["full"]),
    upserts: asArray(response["upserts"], LIMITS.memoriesPerProjectMax).map(parseUpsert),
    removals: asArray(response["removals"], LIMITS.memoriesPerProjectMax).map(sanitizePathKey),
    quarantined: asCount(response["quarantined"]),
  };
}

function parseUpsert(json: unknown): ReceivedUpsert {
  const upsert = asObject(json);
  return {
    key: sanitizePathKey(upsert["key"]),
    blob: asGitId(upsert["blob"]),
    text: parseText(upsert["text"]),
    ...parseFace(upsert),
  };
}

/** Half a surrogate pair has no bytes in UTF-8, and a file with a NUL counts as torn: placed, either would be another text. */
function parseText(json: unknown): string {
  const text = asText(json, LIMITS.memorySizeBytesMax);
  if (/[\0\p{Surrogate}]/u.test(text)) throw new TypeError("a text that no file can hold");
  return text;
}

/** Two keys that fold to one name would overwrite each other on some disks: on every disk, then, neither is taken. */
function assertNoneTwice({ upserts, removals }: PullResponse): void {
  const [collision] = findKeyCollisions(upserts.map(({ key }) => key));
  if (collision !== undefined) throw collided(collision);
  const changed = new Set<string>(upserts.map(({ key }) => key));
  if (removals.some((key) => changed.has(key))) throw new TypeError("a key both changed and removed");
}

export function collided({ key, other, rule }: { key: string; other: string; rule: string }): PathTraversalError {
  const reason = "cannot lie beside another key of the project";
  return new PathTraversalError({ rule, key, reason, cause: other });
}

/**
 * The outcomes header. What does not parse says nothing: outcomes are asked for again with the next pull.
 */
export function parseOutcomes(header: string | string[] | undefined): ReadonlyMap<string, ProposalOutcome> {
  try {
    const outcomes = Object.entries(asObject(JSON.parse(String(header ?? "{}"))));
    return new Map(outcomes.slice(0, LIMITS.proposalIdsPerPullMax).map(([id, outcome]) => [id, parseOutcome(outcome)]));
  } catch {
    return new Map();
  }
}

const STATES: readonly ProposalOutcome["state"][] = ["open", "merged", "closed", "withdrawn"];

function parseOutcome(json: unknown): ProposalOutcome {
  const outcome = asObject(json);
  const state = STATES.find((known) => known === outcome["state"]);
  if (state === undefined) throw new TypeError("not a proposal's state");
  return {
    state,
    seq: asCount(outcome["seq"]),
    reason: orNull(outcome["reason"], (reason) => asText(reason, LIMITS.reasonLengthMax)),
    rejected: asArray(outcome["rejected"], LIMITS.changesPerProposalMax).map((key) =>
      asText(key, LIMITS.keySizeBytesMax),
    ),
    url: asText(outcome["url"], LIMITS.urlLengthMax),
  };
}
