import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { dropSessionId } from "./drop-session-id.ts";

const BOM = "\ufeff";

/**
 * The one form in which memories are compared, hashed, merged and proposed: `\n` line ends, no byte order mark, a
 * newline at the end, no `originSessionId`. All other bytes stay as written, and a second time changes nothing. An
 * empty text stays empty: it is git's empty blob, and a newline would make it a text that nobody wrote.
 */
export function toCanonical(text: string): string {
  const plain = normaliseLineEnds(text);
  const ended = plain === "" || plain.endsWith("\n") ? plain : `${plain}\n`;
  return dropSessionId(ended);
}

/** `\n` line ends and no BOM; nothing else. */
export function normaliseLineEnds(text: string): string {
  let start = 0;
  while (text[start] === BOM) start += 1;
  const plain = start === 0 ? text : text.slice(start);
  return plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
}

/**
 * A memory's text from its bytes: UTF-8, a BOM dropped. Throws `invalid_memory` with `details` {encoding, line}; the
 * encoding is what the bytes look like: `utf-16le`, `utf-16be`, `latin-1` (or another one-byte set), `binary`.
 */
export function decodeMemory(bytes: Uint8Array): string {
  const wide = guessUtf16(bytes);
  if (wide !== null) throw undecodable(wide, 1);
  const nul = bytes.indexOf(0);
  if (nul !== -1) throw undecodable("binary", lineAt(bytes, nul));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw undecodable("latin-1", lineAt(bytes, firstInvalid(bytes)));
  }
}

const ENCODING_NAMES = {
  "utf-16le": "UTF-16 (little endian)",
  "utf-16be": "UTF-16 (big endian)",
  "latin-1": "Latin-1 or another encoding of one byte a letter",
  binary: "binary data: it has a NUL byte",
} as const;

function undecodable(encoding: keyof typeof ENCODING_NAMES, line: number): TeamMemoryError {
  const message = `Cannot read a memory that is not UTF-8: line ${line} looks like ${ENCODING_NAMES[encoding]}`;
  return new TeamMemoryError("invalid_memory", message, { details: { field: "encoding", encoding, line } });
}

/** By its byte order mark, or without one by NULs in every other byte of the beginning, which western text has. */
function guessUtf16(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes.length < 4) return null;
  if (bytes[0] !== 0 && bytes[1] === 0 && bytes[2] !== 0 && bytes[3] === 0) return "utf-16le";
  if (bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0 && bytes[3] !== 0) return "utf-16be";
  return null;
}

/** Offset of the first byte that no UTF-8 decoder accepts: the longest good beginning, found by halving. */
function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (startsWell(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function startsWell(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset; i += 1) if (bytes[i] === 0x0a) line += 1;
  return line;
}
