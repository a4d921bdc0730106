import type { Oddity } from "./list-team.ts";

/** Why something under team/ is left alone, as the middle of a sentence. */
export function describeOddity({ why, rule, reason }: Oddity): string {
  if (why === "link") return "a link";
  if (why === "special") return "no plain file";
  if (why === "folder") return "a folder, for all that its name is a memory's";
  if (why === "unreadable") return "a folder that cannot be read";
  return `its name ${reason ?? "can be no key"}${rule === null ? "" : ` (${rule})`}`;
}

export function toOddityLine(oddity: Oddity): string {
  return `Left alone, ${describeOddity(oddity)}: ${oddity.name}`;
}
