/**
 * What really happened, which no part of the system knows as a whole: every text that was ever written, what its writer
 * had before them, and who still counts on it. The invariants are judged by this, never by what a client remembers.
 */
import { blobIdOf } from "../../shared/sync/git-ids.ts";

export interface Ledger {
  /** Keeps a text and what lay before its writer. @returns its blob id */
  write(text: string, ...parents: readonly (string | null | undefined)[]): string;
  /** A person has looked at both: from now on the one counts as written with the other in sight. */
  acknowledge(blob: string, seen: string | null): void;
  textOf(blob: string): string;
  /** Whether whoever wrote `blob` had `ancestor` before them, directly or through others. */
  descends(blob: string, ancestor: string): boolean;
  /** A token that no text has yet. */
  nextWord(): string;
}

export function openLedger(): Ledger {
  const texts = new Map<string, string>();
  const parentsOf = new Map<string, string[]>();
  let words = 0;
  const acknowledge = (blob: string, seen: string | null) => {
    if (seen !== null && seen !== blob) parentsOf.get(blob)?.push(seen);
  };
  return {
    write: (text, ...parents) => {
      const blob = blobIdOf(text);
      if (!texts.has(blob)) parentsOf.set(blob, []);
      texts.set(blob, text);
      for (const parent of parents) acknowledge(blob, parent ?? null);
      return blob;
    },
    acknowledge,
    textOf: (blob) => texts.get(blob) ?? "",
    descends: (blob, ancestor) => isReached(parentsOf, blob, ancestor),
    nextWord: () => {
      words += 1;
      return `w${words}`;
    },
  };
}

function isReached(parentsOf: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  const stack = [from];
  for (let blob = stack.pop(); blob !== undefined; blob = stack.pop()) {
    if (blob === to) return true;
    for (const parent of parentsOf.get(blob) ?? []) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      stack.push(parent);
    }
  }
  return false;
}

/** A memory of its own, whose every line is told apart from every other's. */
export function newMemory(key: string, word: string): string {
  const lines = ["one", "two", "three"].map((line) => `${line} ${word}`);
  return `---\nname: ${key}\ndescription: about ${word}\ntype: project\n---\n${lines.join("\n\n")}\n`;
}

/** The same memory with one of its lines written anew. */
export function editMemory(text: string, word: string, choice: number): string {
  const places = [/^description: .*$/m, /^one .*$/m, /^two .*$/m, /^three .*$/m];
  const place = places[choice % places.length] ?? /^one .*$/m;
  const edited = text.replace(place, (line) => `${line.slice(0, line.indexOf(" "))} ${word}`);
  return edited === text ? `${text}more ${word}\n` : edited;
}
