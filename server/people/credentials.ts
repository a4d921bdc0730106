import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits; the prefix lets secret scanners know one when they see it. */
export function newToken(): string {
  return `tmt_${randomBytes(32).toString("base64url")}`;
}

export function newInviteCode(): string {
  return randomBytes(24).toString("base64url");
}

/** Longer text was never issued: it is refused before anything is computed from it. */
export const CREDENTIAL_LENGTH_MAX = 200;

type HashKind = "token" | "invite" | "check";

/** Keyed, so that whoever reads the state files can neither use nor test a credential; the kind keeps uses apart. */
export function hashCredential(secret: string, kind: HashKind, text: string): string {
  return createHmac("sha256", secret).update(`${kind}\0${text}`).digest("hex");
}

/** Of two hashes of one length, in a time that does not depend on where they differ. */
export function equalHashes(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
