/** What the adapters read of a forge's JSON: leniently what is ours alone to use, strictly what we act upon. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import type { GitId } from "../../git/port.ts";

export type Row = Readonly<Record<string, unknown>>;

export function toRow(value: unknown): Row {
  return typeof value === "object" && value !== null ? (value as Row) : {};
}

export function toRows(values: readonly unknown[]): readonly Row[] {
  return values.map(toRow);
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** @throws TeamMemoryError remote_unreachable: the address is not that of a forge of this kind */
export function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new TeamMemoryError("remote_unreachable", "Could not use the forge: its answer is not what it should be");
}

export function dateOf(value: unknown): Date {
  const at = new Date(textOf(value));
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

export function idOf(value: unknown): GitId | null {
  return typeof value === "string" && /^[0-9a-f]{40}$/u.test(value) ? value : null;
}

/** Names of labels, as objects or as they are. */
export function labelsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.map((label) => (typeof label === "string" ? label : textOf(toRow(label)["name"])))
    : [];
}
