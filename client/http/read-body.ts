import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";

/** The bytes as sent. @throws TeamMemoryError `bad_response` over the bound; a truncated body is the stream's error. */
export async function readBody(answer: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const sizeBytesMax = toSizeBytesMax(answer.statusCode ?? 0);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const stop = () => answer.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytesMax);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks, sizeBytes);
}

/**
 * Undoes the one encoding that was offered. The bound is on what comes out: a few hundred bytes can unpack to gigabytes.
 *
 * @throws TeamMemoryError `bad_response`
 */
export function decodeBody(headers: IncomingHttpHeaders, body: Buffer): Buffer {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return body;
  if (encoding !== "gzip") throw new TeamMemoryError("bad_response", "The service answered in an unknown encoding");
  if (body.length === 0) return body;
  try {
    return process.getBuiltinModule("node:zlib").gunzipSync(body, { maxOutputLength: LIMITS.responseSizeBytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(LIMITS.responseSizeBytesMax);
    throw new TeamMemoryError("bad_response", "The service's compressed answer is damaged", { cause: error });
  }
}

function toSizeBytesMax(status: number): number {
  return status < 400 ? LIMITS.responseSizeBytesMax : LIMITS.errorBodySizeBytesMax;
}

function tooLarge(sizeBytesMax: number): TeamMemoryError {
  return new TeamMemoryError("bad_response", `The service's answer is over ${sizeBytesMax} bytes`);
}
