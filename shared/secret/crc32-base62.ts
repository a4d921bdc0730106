const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;

/**
 * Whether the last six characters of `token` are the CRC-32 of those between its prefix (up to the last `_`) and them, as
 * GitHub and npm issue theirs. A wrong one proves nothing: a token with a typing error is still nearly the secret.
 */
export function endsInItsChecksum(token: string): boolean {
  const body = token.slice(token.lastIndexOf("_") + 1);
  return toBase62(crc32(body.slice(0, -CHECKSUM_LENGTH))) === body.slice(-CHECKSUM_LENGTH);
}

function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function toBase62(value: number): string {
  let digits = "";
  for (let rest = value; digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62))
    digits = BASE_62[rest % 62] + digits;
  return digits;
}
