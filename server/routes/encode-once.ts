import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const compress = promisify(gzip);

type Encoding = "gzip" | "identity";

/** Bytes by body object: they live as long as the engine keeps the body, and no longer. */
const encoded = new WeakMap<object, Map<Encoding, Promise<Buffer>>>();

/** Sends a body as bytes: no schema is run over an answer that many clients share. */
export async function sendEncoded(request: FastifyRequest, reply: FastifyReply, body: object): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers["accept-encoding"]);
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return reply.type("application/json; charset=utf-8").send(await encodeOnce(body, encoding));
}

/** The JSON of a body, made once an encoding however many clients ask for it at once. */
export function encodeOnce(body: object, encoding: Encoding): Promise<Buffer> {
  const known = encoded.get(body) ?? new Map<Encoding, Promise<Buffer>>();
  encoded.set(body, known);
  const bytes = known.get(encoding) ?? encode(body, encoding);
  known.set(encoding, bytes);
  return bytes;
}

async function encode(body: object, encoding: Encoding): Promise<Buffer> {
  const plain = Buffer.from(JSON.stringify(body));
  return encoding === "gzip" ? compress(plain) : plain;
}

/** gzip where the header names it without switching it off (`q=0`). */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  const parts = (acceptEncoding ?? "").split(",").map((part) => part.trim().toLowerCase());
  return parts.some((part) => /^gzip(?:;\s*q=(?!0(?:\.0*)?$).*)?$/.test(part)) ? "gzip" : "identity";
}
