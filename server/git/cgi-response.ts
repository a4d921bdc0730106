import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

export interface CgiHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const HEAD_SIZE_BYTES_MAX = 16 * 1024;

/** Headers that git's own program sends; anything else would be a surprise and stays behind. */
const PASSED_ON = new Set(["content-type", "cache-control", "expires", "pragma"]);

/** The header block of a CGI answer, and where its body begins; null while more must arrive. */
export function parseCgiHead(bytes: Buffer): { head: CgiHead; bodyAt: number } | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1 && bytes.length > HEAD_SIZE_BYTES_MAX) {
    throw new TeamMemoryError("internal", "could not read the answer of git http-backend");
  }
  if (end === -1) return null;
  const pairs = bytes.toString("latin1", 0, end).split("\r\n").map(splitHeader);
  const status = Number.parseInt(pairs.find(([name]) => name === "status")?.[1] ?? "200", 10);
  const headers = Object.fromEntries(pairs.filter(([name]) => PASSED_ON.has(name)));
  return { head: { status, headers }, bodyAt: end + 4 };
}

function splitHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
