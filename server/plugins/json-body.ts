import fp from "fastify-plugin";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/**
 * JSON in UTF-8 and nothing else: forms and text are what a foreign web page can send without asking, other encodings
 * would put replacement characters into memories, and an encoded body is a bomb. `__proto__` and `constructor.prototype`
 * members are refused by the parser.
 */
export const jsonBody = fp(
  async (app) => {
    const parseJson = app.getDefaultJsonParser("error", "error");
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
      assertPlainJson(request.headers);
      return parseJson(request, decodeUtf8(body as Buffer), done);
    });
  },
  { name: "json-body", fastify: "5.x" },
);

function assertPlainJson(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(String(headers["content-type"]))?.[1] ?? "utf-8";
  const encoding = headers["content-encoding"] ?? "identity";
  if (/^utf-?8$/i.test(charset) && encoding === "identity") return;
  throw new TeamMemoryError("unsupported_media_type", "Could not read the body: plain JSON in UTF-8 is wanted");
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function decodeUtf8(bytes: Buffer): string {
  if (bytes.subarray(0, BOM.length).equals(BOM)) throw badBody("it begins with a byte order mark");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw badBody("it is not UTF-8", cause);
  }
}

function badBody(why: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("bad_request", `Could not read the body: ${why}`, { cause });
}
