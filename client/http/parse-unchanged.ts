/**
 * The headers of an answer that is, to its last byte, a 304 to what was asked: one status line, one line a header and none
 * twice, the tag that was asked for, nothing behind. Pure.
 *
 * @param answer what came first of it, a character a byte
 * @returns null where it is anything else, or not all of it has come
 */
export function parseUnchanged(answer: string, etag: string | undefined): Readonly<Record<string, string>> | null {
  if (!UNCHANGED.test(answer)) return null;
  const lines = answer.slice(0, -"\r\n\r\n".length).split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map(toHeader));
  const isClear = Object.keys(headers).length === lines.length && headers["etag"] === etag;
  return isClear ? headers : null;
}

const UNCHANGED = /^HTTP\/1\.1 304 Not Modified\r\n(?:[A-Za-z0-9-]+:[ -~]*\r\n)+\r\n$/;

function toHeader(line: string): [string, string] {
  const end = line.indexOf(":");
  return [line.slice(0, end).toLowerCase(), line.slice(end + 1).trim()];
}
