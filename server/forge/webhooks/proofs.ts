/** The forms in which a delivery proves that its sender has the secret. All compare in constant time. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "../../../shared/limits.ts";

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  /** Its bytes as they came. */
  readonly body: Uint8Array;
}

export interface Proof {
  /** Lower case; the proof is there where this header is. */
  readonly header: string;
  readonly holds: (delivery: Delivery, secret: string, nowMs: number) => boolean;
}

/** Each secret is tried whatever the others said: the time tells nobody which of them it was. */
export function isProven(proof: Proof, delivery: Delivery, secrets: readonly string[], nowMs: number): boolean {
  return secrets.filter((secret) => proof.holds(delivery, secret, nowMs)).length > 0;
}

/** HMAC-SHA256 over the body, 64 lower-case hexadecimal digits behind `prefix`. */
export function hmacHeader(header: string, prefix: string): Proof {
  return {
    header,
    holds: ({ headers, body }, secret) => {
      const said = String(headers[header]);
      const digits = said.startsWith(prefix) ? said.slice(prefix.length) : "";
      // Looked at first: the decoder stops at what is no digit, without a word.
      if (!/^[0-9a-f]{64}$/.test(digits)) return false;
      return timingSafeEqual(Buffer.from(digits, "hex"), createHmac("sha256", secret).update(body).digest());
    },
  };
}

/** The secret itself, over a connection that keeps it secret. */
export function tokenHeader(header: string): Proof {
  return {
    header,
    holds: ({ headers }, secret) => isSameText(Buffer.from(String(headers[header]), "latin1"), Buffer.from(secret)),
  };
}

/** Of any two lengths: what is compared is as long as a hash. */
function isSameText(one: Buffer, other: Buffer): boolean {
  const [left, right] = [one, other].map((bytes) => createHash("sha256").update(bytes).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/**
 * Standard Webhooks, version 1: HMAC-SHA256 over id, time and body in Base64. The time is signed: what is old was
 * recorded and sent again. Several signatures stand there while the forge changes its key.
 */
export const standardSignature: Proof = {
  header: "webhook-signature",
  holds: ({ headers, body }, secret, nowMs) => {
    const [id, seconds] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
    if (!/^\d{1,12}$/.test(seconds) || Math.abs(nowMs - Number(seconds) * 1_000) > LIMITS.webhookAgeMsMax) return false;
    const hmac = createHmac("sha256", toKey(secret)).update(`${id}.${seconds}.`).update(body);
    const wanted = Buffer.from(`v1,${hmac.digest("base64")}`);
    const said = String(headers["webhook-signature"]).split(" ").slice(0, LIMITS.webhookSignaturesMax);
    return said.filter((one) => isSameText(Buffer.from(one, "latin1"), wanted)).length > 0;
  },
};

/** As these secrets are handed out, they are Base64 behind a word. */
function toKey(secret: string): Buffer {
  const encoded = /^whsec_([A-Za-z0-9+/=]+)$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
}
