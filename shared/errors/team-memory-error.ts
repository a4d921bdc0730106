import { ERROR_CODES, type ErrorCode, type ErrorRow } from "./codes.ts";

/** Recognised across bundled copies of this module, where instanceof is not. */
const BRAND: unique symbol = Symbol.for("team-memory.error") as never;

export interface ErrorOptions {
  /** Plain JSON that a program may read: field, key, rule, line. Never memory text, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error of the house. `message` says what could not be done, then the value; the remedy comes from the code's
 * row. Programmer mistakes stay TypeError and RangeError.
 */
export class TeamMemoryError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TeamMemoryError";
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  get row(): ErrorRow {
    return ERROR_CODES[this.code];
  }
}

export function isTeamMemoryError(value: unknown): value is TeamMemoryError {
  return value instanceof Error && (value as { [BRAND]?: unknown })[BRAND] === true;
}
