/** The base of the one project: its files now, everything that it ever held, and whether the service holds it back. */
export interface Base {
  readonly files: ReadonlyMap<string, string>;
  /** What clients are handed: the last good tree. */
  readonly served: ReadonlyMap<string, string>;
  readonly isHeld: boolean;
  /** Counts commits. */
  readonly revision: number;
  /** Each blob that a key has had, null where it was removed, in their order. */
  entriesOf(key: string): readonly BaseEntry[];
  hasHad(key: string, blob: string | null): boolean;
  /** One commit. Null removes. */
  commit(changes: ReadonlyMap<string, string | null>): void;
  /** Back to what it was some commits ago, as a force-push leaves it: the service holds it until it is accepted. */
  rewind(commits: number): void;
  accept(): void;
}

interface BaseEntry {
  readonly revision: number;
  readonly blob: string | null;
}

/** Older trees than this are nobody's goal of a force-push. */
const TREES_KEPT_MAX = 30;

export function openBase(): Base {
  const entries = new Map<string, BaseEntry[]>();
  const trees: ReadonlyMap<string, string>[] = [new Map()];
  let served: ReadonlyMap<string, string> = new Map();
  let isHeld = false;
  let revision = 0;
  const files = () => trees.at(-1) ?? new Map<string, string>();
  const install = (next: ReadonlyMap<string, string>) => {
    revision += 1;
    for (const key of new Set([...files().keys(), ...next.keys()])) note(key, next.get(key) ?? null);
    trees.push(next);
    if (trees.length > TREES_KEPT_MAX) trees.shift();
    if (!isHeld) served = next;
  };
  const note = (key: string, blob: string | null) => {
    if ((files().get(key) ?? null) === blob) return;
    const known = entries.get(key);
    if (known === undefined) entries.set(key, [{ revision, blob }]);
    else known.push({ revision, blob });
  };
  return {
    get files() {
      return files();
    },
    get served() {
      return served;
    },
    get isHeld() {
      return isHeld;
    },
    get revision() {
      return revision;
    },
    entriesOf: (key) => entries.get(key) ?? [],
    hasHad: (key, blob) => entries.get(key)?.some((entry) => entry.blob === blob) === true,
    commit: (changes) => {
      const next = new Map(files());
      for (const [key, blob] of changes) {
        if (blob === null) next.delete(key);
        else next.set(key, blob);
      }
      install(next);
    },
    rewind: (commits) => {
      isHeld = true;
      install(trees.at(-1 - commits) ?? files());
    },
    accept: () => {
      isHeld = false;
      served = files();
    },
  };
}
