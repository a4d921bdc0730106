/**
 * The names that files have before and after their turn: a temp on its way in (`tmp`), a file moved aside (`old`). A dot
 * first, so that no key can be one; random, so that nobody waits there with a link; never made from the key, which may
 * be as long as the disk allows.
 */
export function newOwnName(kind: "tmp" | "old"): string {
  return `.tm-${nextRandom()}.${kind}`;
}

const RANDOM_SIZE_BYTES = 16;
/** Random bytes for many names at once: to ask for them name by name costs as much as writing the file. */
const pool = new Uint8Array(256 * RANDOM_SIZE_BYTES);
let used = pool.length;

function nextRandom(): string {
  if (used === pool.length) {
    process.getBuiltinModule("node:crypto").randomFillSync(pool);
    used = 0;
  }
  used += RANDOM_SIZE_BYTES;
  return Buffer.from(pool.buffer, used - RANDOM_SIZE_BYTES, RANDOM_SIZE_BYTES).toString("hex");
}

export function isOwnName(name: string): boolean {
  return /^\.tm-[0-9a-f]{32}\.(?:tmp|old)$/u.test(name);
}
