/** Deliveries as each forge signs them. */
import { createHmac } from "node:crypto";

export const WEBHOOK_SECRET = "5f0c1e7a9b3d4628807766554433221100aabbccddeeff00";
export const PUSH = '{"ref": "refs/heads/main",\n "repository":{"clone_url":"http://169.254.169.254/x.git"}}';

export function hmac(body: string | Buffer, secret = WEBHOOK_SECRET): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

export function fromGithub(body = PUSH, id = "72d3162e-cc78-11e3-81ab-4c9367dc0958", event = "push") {
  return { "x-github-event": event, "x-github-delivery": id, "x-hub-signature-256": `sha256=${hmac(body)}` };
}

/** Standard Webhooks, as GitLab signs with a signing token. */
export function standard(body: string, { id = "msg-1", key = Buffer.from(WEBHOOK_SECRET), ageMs = 0 } = {}) {
  const seconds = String(Math.floor((Date.now() - ageMs) / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
}
