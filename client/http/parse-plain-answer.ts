/** An answer, body and all, as it came in one piece. */
export interface PlainAnswer {
  readonly status: 200 | 304;
  /** By their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * An answer that is plain to its last byte: one status line, one line a header and none twice; a 304 to what was asked, with
 * its tag and nothing behind, or a 200 that names its length, with just so many bytes behind. Pure.
 *
 * @param bytes what came first of it
 * @returns null where it is anything else, or not all of it has come
 */
export function parsePlainAnswer(bytes: Buffer, etag: string | undefined): PlainAnswer | null {
  const end = bytes.indexOf(END_OF_HEAD);
  const head = bytes.subarray(0, end + END_OF_HEAD.length).toString("latin1");
  const status = end === -1 ? undefined : HEAD.exec(head)?.[1];
  if (status === undefined) return null;
  const lines = head.slice(0, end).split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map(toHeader));
  if (Object.keys(headers).length !== lines.length) return null;
  const body = bytes.subarray(end + END_OF_HEAD.length);
  if (status.startsWith("304"))
    return headers["etag"] === etag && body.length === 0 ? { status: 304, headers, body } : null;
  const isWhole = headers["content-length"] === `${body.length}` && !("transfer-encoding" in headers);
  return isWhole ? { status: 200, headers, body } : null;
}

const END_OF_HEAD = "\r\n\r\n";
const HEAD = /^HTTP\/1\.1 (304 Not Modified|200 OK)\r\n(?:[A-Za-z0-9-]+:[ -~]*\r\n)+\r\n$/;

function toHeader(line: string): [string, string] {
  const end = line.indexOf(":");
  return [line.slice(0, end).toLowerCase(), line.slice(end + 1).trim()];
}
