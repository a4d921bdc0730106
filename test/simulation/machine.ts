/** One person's machine, the agent on it, and what is true of them whatever the client remembers. */
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { type Disk, emptyDisk, type Pulled } from "./disk.ts";
import { editMemory, type Ledger, newMemory } from "./ledger.ts";

export interface Machine {
  readonly id: number;
  disk: Disk;
  /** Texts of its people, by blob with their key, that only the system can have lost. */
  readonly owed: Map<string, MemoryKey>;
  /** How each text came to lie here, by key and blob. */
  readonly origins: Map<string, Origin>;
  /** What lay at a key last before it was gone. */
  readonly seen: Map<string, string>;
  /** What a person took back, by key: what they write there from then on is written in its stead. */
  readonly undone: Map<string, readonly string[]>;
  /** What `rm KEY` was meant for: keys and blobs. */
  readonly removals: Set<string>;
  /** What happens while the client works: at its n-th step from now it is killed, or somebody writes. */
  troubles: readonly Trouble[];
  offlineUntilMs: number;
  skewMs: number;
  /** Since the last quiet round. */
  requests: number;
  proposalsMade: number;
  backup: Disk | null;
  /** Its state was lost, or put back: what the client once knew it may not know now. */
  hasForgotten: boolean;
}

/**
 * `edit`: of a memory that the team had, as far as this machine knew. `remade`: what an edit became when it was merged
 * onto a base that went back to an older one. `named`: a person asked for it by name.
 */
export type Origin = "edit" | "remade" | "new" | "named";

export interface Trouble {
  steps: number;
  readonly strike: () => void;
}

export class Killed extends Error {}

export function newMachine(id: number): Machine {
  return {
    id,
    disk: emptyDisk(),
    owed: new Map(),
    origins: new Map(),
    seen: new Map(),
    undone: new Map(),
    removals: new Set(),
    troubles: [],
    offlineUntilMs: 0,
    skewMs: 0,
    requests: 0,
    proposalsMade: 0,
    backup: null,
    hasForgotten: false,
  };
}

/** A step of the client after which it may be dead. */
export function pass({ troubles }: Machine): void {
  for (const trouble of troubles) {
    trouble.steps -= 1;
    if (trouble.steps === 0) trouble.strike();
  }
}

/** What was placed last at a key: as the client's own rule has it. */
export function baseOf({ marks }: Pick<Disk, "marks">, pulled: Pulled | null, key: string): string | null {
  const unplaced = marks.get(key)?.unplaced;
  return unplaced === undefined ? (pulled?.pristine.get(key) ?? null) : unplaced.base;
}

export interface Writing {
  readonly key: MemoryKey;
  readonly choice: number;
  /** While the client works: what it is about to find out is no news to come. */
  readonly isMeanwhile?: boolean;
}

/** An agent writes a memory, or edits the one that lies there. */
export function writeMemory(machine: Machine, ledger: Ledger, { key, choice, isMeanwhile = false }: Writing): void {
  const { disk } = machine;
  const here = disk.files.get(key);
  const before = here ?? machine.seen.get(key);
  const word = ledger.nextWord();
  const text = here === undefined ? newMemory(key, word) : editMemory(ledger.textOf(here), word, choice);
  const blob = ledger.write(text, before, ...(machine.undone.get(key) ?? []));
  const isEdit = here !== undefined && !isMeanwhile && isTeams(disk, key);
  if (here !== undefined) giveUp(machine, ledger, { key, here });
  disk.files.set(key, blob);
  machine.owed.set(blob, key);
  machine.origins.set(`${key}:${blob}`, isEdit ? "edit" : "new");
}

/** As far as the client has found out, in a run that was killed, too. */
function isTeams({ marks, pulled, journal }: Disk, key: string): boolean {
  const isFound = journal !== null && !journal.staged.has(key);
  return baseOf(isFound ? journal.next : { marks }, isFound ? journal.next.pulled : pulled, key) !== null;
}

/** A clean-up of the host, or a person by hand: nobody means the team by it. */
export function sweepFile(machine: Machine, ledger: Ledger, key: MemoryKey): void {
  const here = machine.disk.files.get(key);
  if (here === undefined) return;
  machine.seen.set(key, here);
  giveUp(machine, ledger, { key, here });
  machine.disk.files.delete(key);
}

/** Gone by somebody's own hand, and with it what it was made of. */
export function giveUp({ owed }: Machine, ledger: Ledger, { key, here }: { key: MemoryKey; here: string }): void {
  for (const [blob, of] of owed) if (of === key && ledger.descends(here, blob)) owed.delete(blob);
}
