/**
 * A client's wanted set, from the wire to keys and canonical texts. Everything that one change can be judged by alone is
 * judged here; every failing key is listed, so that the client can send the others.
 */
import { createHash } from "node:crypto";
import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { assertProposable } from "../../../shared/memory/assert-proposable.ts";
import { toCanonical } from "../../../shared/memory/to-canonical.ts";
import { type MemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProposalChange, ProposalRequest } from "../../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import { assertNoSecrets } from "../../../shared/secret/assert-no-secrets.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import type { GitId } from "../../git/port.ts";

export interface WantedChange {
  readonly key: MemoryKey;
  readonly baseBlob: GitId | null;
  /** Canonical; null: the removal of the key. */
  readonly text: string | null;
  /** Its blob. */
  readonly blob: GitId | null;
}

/** Why one key cannot be proposed. `key` is as the client wrote it. */
export interface KeyFailure {
  readonly key: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly rule?: unknown;
  readonly field?: unknown;
  readonly line?: unknown;
}

export interface WantedSet {
  readonly seq: number;
  readonly title: string | null;
  readonly changes: readonly WantedChange[];
  readonly failures: readonly KeyFailure[];
  readonly restore: ReadonlySet<string>;
  /** Hash over keys and blobs: equal for equal sets, whatever their order. */
  readonly content: string;
}

/**
 * @throws TeamMemoryError too_large for a set whose texts together are over the bound; secret_found for its title, which
 * would become a commit's message
 */
export function parseRequest(request: ProposalRequest): WantedSet {
  const sizeBytes = request.changes.reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ""), 0);
  if (sizeBytes > LIMITS.proposalSizeBytesMax) {
    const message = `Could not take a proposal of ${sizeBytes} bytes, at most ${LIMITS.proposalSizeBytesMax}`;
    throw new TeamMemoryError("too_large", message);
  }
  const changes: WantedChange[] = [];
  const failures: KeyFailure[] = [];
  const seen = new Set<string>();
  for (const change of request.changes) {
    const parsed = seen.has(change.key) ? toTwice(change.key) : parseChange(change);
    seen.add(change.key);
    if ("code" in parsed) failures.push(parsed);
    else changes.push(parsed);
  }
  const title = request.title === undefined ? null : toSubject(request.title);
  assertNoSecretFields({ title });
  const rest = { restore: new Set(request.restore ?? []), content: hashOf(changes) };
  return { seq: request.seq, title, changes, failures, ...rest };
}

function toTwice(key: string): KeyFailure {
  return { key, code: "key_collision", message: "Cannot propose one key twice in one set", rule: "R-TWICE" };
}

function parseChange({ key: wireKey, baseBlob, text }: ProposalChange): WantedChange | KeyFailure {
  try {
    const key = sanitizePathKey(wireKey);
    if (text === null) return { key, baseBlob, text, blob: null };
    assertProposable(key, text);
    const canonical = toCanonical(text);
    assertNoSecrets(key, canonical);
    return { key, baseBlob, text: canonical, blob: blobIdOf(canonical) };
  } catch (error) {
    if (isTeamMemoryError(error)) return toKeyFailure(wireKey, error);
    throw error;
  }
}

export function toKeyFailure(key: string, { code, message, details }: TeamMemoryError): KeyFailure {
  const named = ["rule", "field", "line"].filter((name) => details[name] !== undefined);
  return { key, code, message, ...Object.fromEntries(named.map((name) => [name, details[name]])) };
}

function hashOf(changes: readonly WantedChange[]): string {
  const lines = changes.map(({ key, blob }) => `${blob ?? "removed"} ${key}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}

/** One line: it becomes the first line of a commit's message. */
function toSubject(title: string): string | null {
  const line = title.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line === "" ? null : line;
}
