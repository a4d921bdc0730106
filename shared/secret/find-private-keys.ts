/** Private keys as blocks of text: PEM, OpenSSH, PGP, SSH2, PuTTY. Certificates and public keys are public. */
import { LIMITS } from "../limits.ts";
import { type SecretMatch, toMasked } from "./secret-match.ts";

const HEADER = /----[- ]?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?----/g;
const PUTTY = /Private-Lines: {0,8}[0-9]{1,3}\s{1,4}[A-Za-z0-9+/]{32}/g;

/** Letters of key material, in runs of some length: less is an ellipsis or a sentence about keys. */
const MATERIAL = /[A-Za-z0-9+/=]{16,}/g;
const MATERIAL_LENGTH_MIN = 40;

export function findPrivateKeys(text: string): SecretMatch[] {
  const blocks = [...text.matchAll(HEADER)].filter((header) => hasMaterial(text, header.index + header[0].length));
  return [...blocks, ...text.matchAll(PUTTY)].map((match) => ({
    rule: "private-key",
    start: match.index,
    end: match.index + match[0].length,
    masked: toMasked(match[0].startsWith("-") ? "-----BEGIN " : "Private-Lines: "),
  }));
}

/** The body may be indented, quoted, or one line with `\n` written out. */
function hasMaterial(text: string, start: number): boolean {
  const rest = text.slice(start, start + LIMITS.secretKeyBlockLengthMax).replace(/^-{1,4}/, "");
  const body = rest.split("----", 1)[0]?.replaceAll(/\\[nr]/g, "\n") ?? "";
  const length = (body.match(MATERIAL) ?? []).reduce((sum, run) => sum + run.length, 0);
  return length >= MATERIAL_LENGTH_MIN;
}
