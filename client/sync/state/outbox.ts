import { LIMITS } from "../../../shared/limits.ts";
import { asArray, asCount, asNumber, asObject, asText, orNull } from "../json-shape.ts";
import { readOwnFile, STATE_FORMAT, writeWhole } from "./durable-file.ts";
import { statePath } from "./layout.ts";

/**
 * What was sent, or is about to be: written before each request, so that a kill between the two repeats a request that
 * changes nothing, instead of forgetting a proposal.
 */
export interface Outbox {
  /** The one open proposal of this memory directory. */
  readonly open: OpenProposal | null;
  /** The service said that this token may not propose here. */
  readonly forbidden: Forbidden | null;
}

export interface Forbidden {
  readonly atMs: number;
  /** Which token, so that another one is tried at once; no part of it. */
  readonly tokenHash: string;
}

export interface OpenProposal {
  /** ULID, chosen here. */
  readonly id: string;
  readonly seq: number;
  readonly changes: readonly SentChange[];
  /** Keys whose removed text is brought back on purpose. */
  readonly restore: readonly string[];
  /** The last answer; `seq` below the outer one: a request is under way or was lost. */
  readonly acknowledged: Acknowledged | null;
  /** Sets before this one that the service may have, too: an outcome says which one it is about. Newest first, bounded. */
  readonly earlier: readonly SentSet[];
}

export interface Acknowledged {
  readonly seq: number;
  readonly url: string;
  /** When the answer came. */
  readonly atMs?: number;
}

export interface SentSet {
  readonly seq: number;
  readonly changes: readonly Pick<SentChange, "key" | "blob">[];
}

export interface SentChange {
  readonly key: string;
  /** The served blob that the text started from. */
  readonly baseBlob: string | null;
  /** Its canonical blob: what merging starts from. */
  readonly base: string | null;
  /** Null: the removal. */
  readonly text: string | null;
  readonly blob: string | null;
}

/** What was last sent of a key; null: nothing, or its removal. */
export function findSentText({ open }: Outbox, key: string): string | null {
  return open?.changes.find((change) => change.key === key)?.text ?? null;
}

/** The last set that the service is known to have, by key. A set that came later may be on its way, or lost. */
export function findAcknowledged(open: OpenProposal | null): ReadonlyMap<string, string | null> {
  const sets = open === null ? [] : [open, ...open.earlier];
  const known = sets.find(({ seq }) => seq === open?.acknowledged?.seq);
  return new Map(known?.changes.map(({ key, blob }) => [key, blob]));
}

const EMPTY_OUTBOX: Outbox = { open: null, forbidden: null };

export function readOutbox(stateFolder: string): Outbox {
  return readOwnFile(statePath(stateFolder, "outbox"), LIMITS.outboxSizeBytesMax, parseOutbox) ?? EMPTY_OUTBOX;
}

export function writeOutbox(stateFolder: string, outbox: Outbox): void {
  writeWhole(statePath(stateFolder, "outbox"), JSON.stringify({ format: STATE_FORMAT, ...outbox }), {
    isDurable: true,
  });
}

export function parseOutbox(json: unknown): Outbox | null {
  const { format, open, forbidden } = asObject(json);
  if (format !== STATE_FORMAT) return null;
  return { open: orNull(open, parseOpen), forbidden: orNull(forbidden, parseForbidden) };
}

const ID_LENGTH = 26;
const BLOB_LENGTH = 40;

function parseForbidden(json: unknown): Forbidden {
  const { atMs, tokenHash } = asObject(json);
  return { atMs: asNumber(atMs), tokenHash: asText(tokenHash, 64) };
}

function parseOpen(json: unknown): OpenProposal {
  const open = asObject(json);
  return {
    id: asText(open["id"], ID_LENGTH),
    seq: asCount(open["seq"]),
    changes: asArray(open["changes"], LIMITS.changesPerProposalMax).map(parseChange),
    restore: asArray(open["restore"], LIMITS.changesPerProposalMax).map(asKey),
    acknowledged: orNull(open["acknowledged"], (answer) => {
      const { seq, url, atMs } = asObject(answer);
      const when = orNull(atMs, asNumber);
      return { seq: asCount(seq), url: asText(url, LIMITS.urlLengthMax), ...(when === null ? {} : { atMs: when }) };
    }),
    earlier: asArray(open["earlier"], LIMITS.earlierSetsMax).map(parseSet),
  };
}

function parseSet(json: unknown): SentSet {
  const { seq, changes } = asObject(json);
  return {
    seq: asCount(seq),
    changes: asArray(changes, LIMITS.changesPerProposalMax).map((change) => {
      const { key, blob } = asObject(change);
      return { key: asKey(key), blob: orNull(blob, asBlob) };
    }),
  };
}

function parseChange(json: unknown): SentChange {
  const { key, baseBlob, base, text, blob } = asObject(json);
  return {
    key: asKey(key),
    baseBlob: orNull(baseBlob, asBlob),
    base: orNull(base, asBlob),
    text: orNull(text, (words) => asText(words, LIMITS.memorySizeBytesMax)),
    blob: orNull(blob, asBlob),
  };
}

function asBlob(value: unknown): string {
  return asText(value, BLOB_LENGTH);
}

function asKey(value: unknown): string {
  return asText(value, LIMITS.keySizeBytesMax);
}
