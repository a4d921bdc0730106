import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LIMITS } from "../../shared/limits.ts";

const compress = promisify(gzip);

type Encoding = "gzip" | "identity";

/** By body object: they live as long as the engine keeps the body, and no longer. */
const encoded = new WeakMap<object, Map<Encoding, Promise<Encoded>>>();

export interface Encoded {
  /** What it came to be: a short body goes as it is. */
  readonly encoding: Encoding;
  readonly bytes: Buffer;
}

/** Sends a body as bytes: no schema is run over an answer that many clients share. */
export async function sendEncoded(request: FastifyRequest, reply: FastifyReply, body: object): Promise<FastifyReply> {
  const { encoding, bytes } = await encodeOnce(body, chooseEncoding(request.headers["accept-encoding"]));
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type("application/json; charset=utf-8").send(bytes);
}

/** The JSON of a body, made once an encoding however many clients ask for it at once. */
export function encodeOnce(body: object, encoding: Encoding): Promise<Encoded> {
  const known = encoded.get(body) ?? new Map<Encoding, Promise<Encoded>>();
  encoded.set(body, known);
  const made = known.get(encoding) ?? encode(body, encoding);
  known.set(encoding, made);
  return made;
}

async function encode(body: object, wished: Encoding): Promise<Encoded> {
  const plain = Buffer.from(JSON.stringify(body));
  if (wished === "identity" || plain.length < LIMITS.compressedSizeBytesMin)
    return { encoding: "identity", bytes: plain };
  return { encoding: "gzip", bytes: await compress(plain) };
}

/** gzip where the header names it without switching it off (`q=0`). */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  const parts = (acceptEncoding ?? "").split(",").map((part) => part.trim().toLowerCase());
  return parts.some((part) => /^gzip(?:;\s*q=(?!0(?:\.0*)?$).*)?$/.test(part)) ? "gzip" : "identity";
}
