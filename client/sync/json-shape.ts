/**
 * Just enough of a parser for our own small files and the service's answers where a schema library is too slow to load:
 * each function gives the value with its type, or throws a TypeError that its caller turns into an error of the house.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("not an object");
  return value as JsonObject;
}

export function asArray(value: unknown, lengthMax: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("not a list");
  if (value.length > lengthMax) throw new TypeError(`a list of more than ${lengthMax}`);
  return value;
}

export function asText(value: unknown, lengthMax: number): string {
  if (typeof value !== "string") throw new TypeError("not a text");
  if (value.length > lengthMax) throw new TypeError(`a text of more than ${lengthMax} characters`);
  return value;
}

export function asGitId(value: unknown): string {
  if (typeof value !== "string" || !/^[0-9a-f]{40}$/.test(value)) throw new TypeError("not a git id");
  return value;
}

export function asCount(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new TypeError("not a count");
  return value as number;
}

export function asBoolean(value: unknown): boolean {
  if (typeof value !== "boolean") throw new TypeError("not a yes or no");
  return value;
}

export function asNumber(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError("not a number");
  return value;
}

export function orNull<T>(value: unknown, parse: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : parse(value);
}
