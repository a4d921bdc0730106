/** Git's wire framing: four hex digits of length, themselves included, then the payload; `0000` is a flush. */

const LENGTH_SIZE_BYTES = 4;

export type PktLine = { readonly kind: "flush" } | { readonly kind: "data"; readonly payload: Buffer };

export const FLUSH = Buffer.from("0000");

/** The line that begins at `at`, and where the next one begins; null while it has not arrived whole. RangeError if malformed. */
export function parsePktLine(bytes: Buffer, at: number): { line: PktLine; next: number } | null {
  const digits = bytes.toString("latin1", at, at + LENGTH_SIZE_BYTES);
  if (digits.length < LENGTH_SIZE_BYTES) return null;
  if (digits === "0000") return { line: { kind: "flush" }, next: at + LENGTH_SIZE_BYTES };
  const size = /^[0-9a-f]{4}$/iu.test(digits) ? Number.parseInt(digits, 16) : 0;
  if (size <= LENGTH_SIZE_BYTES) throw new RangeError("not a pkt-line");
  if (at + size > bytes.length) return null;
  return { line: { kind: "data", payload: bytes.subarray(at + LENGTH_SIZE_BYTES, at + size) }, next: at + size };
}

export function toPktLine(payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload);
  const length = (bytes.length + LENGTH_SIZE_BYTES).toString(16).padStart(LENGTH_SIZE_BYTES, "0");
  return Buffer.concat([Buffer.from(length), bytes]);
}
