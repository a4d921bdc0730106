import { LIMITS } from "../../../shared/limits.ts";
import type { MemoryType } from "../../../shared/protocol/schemas.ts";
import { asArray, asCount, asGitId, asObject, asText, orNull } from "../json-shape.ts";

/** What the client keeps of one served memory, beside its text. */
export interface Received {
  readonly key: string;
  /** Git's id of the text as served: what the tree id is made of. */
  readonly blob: string;
  /** The id of the canonical text: what edits are measured against. The same, but for a file that a human committed with CRLF. */
  readonly canonicalBlob: string;
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | null;
  readonly changedAt: string;
  readonly changedBy: string;
}

export interface Gone {
  readonly key: string;
  readonly blob: null;
}

export interface TextPlace {
  /** From the first text of the pack. */
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

export type PristineRecord = (Received & { readonly place: TextPlace }) | Gone;

export function isGone(record: { readonly blob: string | null }): record is Gone {
  return record.blob === null;
}

/** @throws TypeError */
export function parseRecords(json: unknown): PristineRecord[] {
  return asArray(json, LIMITS.memoriesPerProjectMax * 2).map(parseRecord);
}

function parseRecord(json: unknown): PristineRecord {
  const record = asObject(json);
  const key = asText(record["key"], LIMITS.keySizeBytesMax);
  if (record["blob"] === null) return { key, blob: null };
  const { offsetBytes, sizeBytes } = asObject(record["place"]);
  return {
    key,
    blob: asGitId(record["blob"]),
    canonicalBlob: asGitId(record["canonicalBlob"]),
    ...parseFace(record),
    place: { offsetBytes: asCount(offsetBytes), sizeBytes: asCount(sizeBytes) },
  };
}

/**
 * What a memory says of itself and who changed it when: in answers of the service and in records alike. Clipped, not
 * refused: a description that somebody merged at any length must not keep the others from coming.
 */
export function parseFace(record: Readonly<Record<string, unknown>>) {
  return {
    name: clip(record["name"], LIMITS.nameLengthMax),
    description: clip(record["description"], LIMITS.descriptionLengthMax),
    type: orNull(record["type"], asType),
    changedAt: asText(record["changedAt"], DATE_LENGTH_MAX),
    changedBy: clip(record["changedBy"], LIMITS.nameLengthMax),
  };
}

const DATE_LENGTH_MAX = 40;

function clip(value: unknown, lengthMax: number): string {
  return asText(value, LIMITS.memorySizeBytesMax).slice(0, lengthMax);
}

const TYPES: readonly MemoryType[] = ["user", "feedback", "project", "reference"];

function asType(value: unknown): MemoryType {
  const type = TYPES.find((known) => known === value);
  if (type === undefined) throw new TypeError("not a memory's type");
  return type;
}
