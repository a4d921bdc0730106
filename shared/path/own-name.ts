/**
 * The names that files have before and after their turn: a temp on its way in (`tmp`), a file moved aside (`old`). A dot
 * first, so that no key can be one; random, so that nobody waits there with a link; never made from the key, which may
 * be as long as the disk allows.
 */
export function newOwnName(kind: "tmp" | "old"): string {
  return `.tm-${crypto.randomUUID().replaceAll("-", "")}.${kind}`;
}

export function isOwnName(name: string): boolean {
  return /^\.tm-[0-9a-f]{32}\.(?:tmp|old)$/u.test(name);
}
