/**
 * The seal on a commit: a trailer that nobody can make who does not hold the service's secret. Names, addresses and trailers
 * say who proposes what, and anyone who may push a branch can write them.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Commit } from "../../git/port.ts";

/** Made of the service's secret for this one use. */
export type SealKey = Uint8Array;

const SEALED = /^(?<sealed>.*\n)Team-Memory-Seal: (?<seal>[0-9a-f]{64})\n$/su;

/** The last line of a commit's message, without its line break. `commit` is as it will be read back without it. */
export function toSealLine(key: SealKey, commit: Omit<Commit, "id">): string {
  return `Team-Memory-Seal: ${sealOf(key, commit).toString("hex")}`;
}

/** In a time that does not depend on where a forged seal differs. */
export function hasSeal(key: SealKey, commit: Commit): boolean {
  const { sealed, seal } = SEALED.exec(commit.message)?.groups ?? {};
  if (sealed === undefined || seal === undefined) return false;
  return timingSafeEqual(Buffer.from(seal, "hex"), sealOf(key, { ...commit, message: sealed }));
}

/** Over all that a commit says: none of it can be put into another one, or under another parent. */
function sealOf(key: SealKey, { tree, parents, author, committer, message }: Omit<Commit, "id">): Buffer {
  const [written, committed] = [author, committer].map(({ name, email, at }) => [name, email, at.getTime()]);
  const content = JSON.stringify([tree, parents, written, committed, message]);
  return createHmac("sha256", key).update(content).digest();
}
