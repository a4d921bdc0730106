import { LIMITS } from "../limits.ts";
import type { MemoryType } from "../protocol/schemas.ts";
import { findInvisible, toVisibleLine } from "./invisible-characters.ts";
import type { MemoryProblem, YamlFields } from "./parse-yaml-fields.ts";

/** One field as far as it can be read, and why it may not be proposed as it stands. */
export interface FieldReading<T> {
  readonly value: T;
  readonly problems: readonly MemoryProblem[];
}

export function readName(fields: YamlFields): FieldReading<string> {
  return readLine(fields, "name", LIMITS.nameLengthMax);
}

export function readDescription(fields: YamlFields): FieldReading<string> {
  return readLine(fields, "description", LIMITS.descriptionLengthMax);
}

/** A flat `type`, or the one below `metadata`. Where both stand and one says `user`, the memory is private. */
export function readType({ values, lines }: YamlFields): FieldReading<MemoryType | null> {
  const places = typePlaces(values);
  const types = places.map(({ raw }) => toType(raw));
  const at = (field: string) => ({ field, line: lines.get(field) ?? lines.get("metadata") ?? 1 });
  const problems = places
    .filter(({ raw }, index) => raw !== types[index])
    .map(({ field }) => ({ ...at(field), message: `is none of ${MEMORY_TYPES.join(", ")}` }));
  if (places.length === 0) problems.push({ field: "type", line: 1, message: "is missing" });
  if (new Set(types).size > 1) problems.push({ ...at("type"), message: "is not the same as metadata.type" });
  return { value: types.includes("user") ? "user" : (types[0] ?? null), problems };
}

function readLine({ values, lines }: YamlFields, field: string, lengthMax: number): FieldReading<string> {
  const raw = values.get(field) ?? "";
  const problem = (message: string): MemoryProblem => ({ field, line: lines.get(field) ?? 1, message });
  if (typeof raw !== "string") return { value: "", problems: [problem("is no text")] };
  const written = raw.trim();
  const value = toVisibleLine(written);
  if (value === "") return { value, problems: [problem(values.has(field) ? "is empty" : "is missing")] };
  const messages = lineProblems(written, lengthMax);
  return { value: cutToCodePoints(value, lengthMax), problems: messages.map(problem) };
}

function lineProblems(written: string, lengthMax: number): readonly string[] {
  if (/[\n\u2028\u2029]/.test(written)) return ["spans several lines; it takes one"];
  const invisible = findInvisible(written);
  return [
    ...(invisible === null ? [] : [`has an invisible character, ${invisible}`]),
    ...(written.length > lengthMax ? [`is longer than ${lengthMax} characters`] : []),
  ];
}

/** Never half of a surrogate pair at the end. */
function cutToCodePoints(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "");
}

const MEMORY_TYPES: readonly MemoryType[] = ["user", "feedback", "project", "reference"];

function typePlaces(values: ReadonlyMap<string, unknown>): readonly { field: string; raw: unknown }[] {
  const metadata = values.get("metadata");
  return [
    { field: "type", raw: values.get("type") },
    { field: "metadata.type", raw: metadata instanceof Map ? metadata.get("type") : undefined },
  ].filter(({ raw }) => raw !== undefined);
}

/** `User` is read as what it means, so that it stays private, and told of as misspelt. */
function toType(raw: unknown): MemoryType | null {
  const written = typeof raw === "string" ? raw.trim().toLowerCase() : "";
  return MEMORY_TYPES.find((type) => type === written) ?? null;
}
