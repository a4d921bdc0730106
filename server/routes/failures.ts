import type { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "../../shared/errors/codes.ts";
import { errorSchema } from "../../shared/protocol/schemas.ts";

/** What any route behind a token may answer. */
const COMMON: readonly ErrorCode[] = [
  "bad_request",
  "unauthorized",
  "not_found",
  "upgrade_required",
  "rate_limited",
  "internal",
  "unavailable",
];

/** Response schemas for the statuses of the named codes and of the common ones, so that a route declares all it sends. */
export function failures(...codes: readonly ErrorCode[]): Record<number, z.ZodType> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...COMMON, ...codes]) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries([...byStatus].map(([status, listed]) => [status, errorSchema.describe(listed.join(", "))]));
}
