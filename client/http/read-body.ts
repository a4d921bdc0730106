import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Deadline } from "./deadline.ts";

/** The bytes as sent. @throws TeamMemoryError `bad_response` over the bound; a truncated body is the stream's error. */
export async function readBody(answer: IncomingMessage, deadline: Deadline): Promise<Buffer> {
  const sizeBytesMax = toSizeBytesMax(answer.statusCode ?? 0);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const whole = new Promise<void>((resolve, reject) => {
    answer.on("error", reject).on("end", resolve);
    // Also where it is destroyed without a reason; behind an end it says nothing more.
    answer.on("close", () => reject(new Error("aborted")));
    answer.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > sizeBytesMax) answer.destroy(tooLarge(sizeBytesMax));
      else chunks.push(chunk);
    });
  });
  await deadline.during(whole, () => answer.destroy());
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
