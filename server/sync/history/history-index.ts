/**
 * What the base's history says, answered without reading git: which commits it contains, when and by whom each memory
 * got its present text, which texts and trees a project once had, which proposals went in. Fed one commit at a time, in
 * the order of first parents.
 */
import type { GitId } from "../../git/port.ts";
import type { CommitRecord, KeyRecord, MergeRecord, ProjectRecord } from "./history-record.ts";

/** One change of one key. */
export interface HistoryEntry extends KeyRecord {
  readonly ordinal: number;
  readonly revision: GitId;
  /** Where the text came from: the change itself, or for a rename the one that gave it to the old key. */
  readonly text: { readonly at: number; readonly by: string };
}

interface KeyHistory {
  readonly entries: HistoryEntry[];
  /** The latest entry that set a blob; null stands for a removal. */
  readonly byBlob: Map<GitId | null, HistoryEntry>;
  /** Since when the key has stood without a gap; null while it is gone. */
  standsSince: number | null;
}

interface ProjectHistory {
  readonly keys: Map<string, KeyHistory>;
  readonly trees: Set<GitId>;
  /** Trees as served whose raw tree differs, because something in it is in quarantine. */
  readonly served: Map<GitId, GitId>;
}

export interface HistoryIndex {
  /** The newest commit; null before the first. */
  tip(): GitId | null;
  /** Position of a commit on the chain of first parents. */
  chainOrdinal(id: GitId): number | undefined;
  /** Position at which the base came to contain a commit, merged ones included; undefined: it does not. */
  ordinal(id: GitId): number | undefined;
  add(record: CommitRecord): void;
  noteServed(project: string, raw: GitId, served: GitId): boolean;
  /** The raw tree behind a tree that clients of this project may have been served; null: it never had that. */
  rawTree(project: string, tree: GitId): GitId | null;
  /** Oldest first. */
  entries(project: string, key: string): readonly HistoryEntry[];
  /** The latest time that a key got this text. */
  entryOf(project: string, key: string, blob: GitId | null): HistoryEntry | undefined;
  /** Position since which a key has stood: the lower, the older. Infinity for one that history does not know. */
  age(project: string, key: string): number;
  /** In the order in which they went in. */
  merges(proposal: string): readonly MergeRecord[];
}

export function buildHistoryIndex(): HistoryIndex {
  const chain = new Map<GitId, number>();
  const ordinals = new Map<GitId, number>();
  const projects = new Map<string, ProjectHistory>();
  const merges = new Map<string, MergeRecord[]>();
  let tip: GitId | null = null;

  const keyOf = (project: string, key: string) => projects.get(project)?.keys.get(key);

  return {
    tip: () => tip,
    chainOrdinal: (id) => chain.get(id),
    ordinal: (id) => ordinals.get(id),
    add: (record) => {
      const ordinal = chain.size;
      chain.set(record.id, ordinal);
      for (const id of [record.id, ...record.brings]) if (!ordinals.has(id)) ordinals.set(id, ordinal);
      addProjects(projects, record, ordinal);
      for (const merge of record.merges) merges.set(merge.proposal, [...(merges.get(merge.proposal) ?? []), merge]);
      tip = record.id;
    },
    noteServed: (project, raw, served) => {
      const history = historyOf(projects, project);
      const isNew = history.served.get(served) !== raw;
      history.served.set(served, raw);
      return isNew;
    },
    rawTree: (project, tree) => {
      const history = projects.get(project);
      return history?.served.get(tree) ?? (history?.trees.has(tree) ? tree : null);
    },
    entries: (project, key) => keyOf(project, key)?.entries ?? [],
    entryOf: (project, key, blob) => keyOf(project, key)?.byBlob.get(blob),
    age: (project, key) => keyOf(project, key)?.standsSince ?? Number.POSITIVE_INFINITY,
    merges: (proposal) => merges.get(proposal) ?? [],
  };
}

function historyOf(projects: Map<string, ProjectHistory>, project: string): ProjectHistory {
  const known = projects.get(project) ?? { keys: new Map(), trees: new Set(), served: new Map() };
  projects.set(project, known);
  return known;
}

function addProjects(projects: Map<string, ProjectHistory>, record: CommitRecord, ordinal: number): void {
  const removed = findRemovedTexts(projects, record.projects);
  for (const { project, tree, changes } of record.projects) {
    const history = historyOf(projects, project);
    if (tree !== null) history.trees.add(tree);
    for (const change of changes) {
      const text = removed.get(change.blob) ?? { at: change.at, by: change.by };
      addEntry(history, { ...change, ordinal, revision: record.id, text });
    }
  }
}

/** What left one key in this commit: a key that gets the same blob is that memory under a new name. */
function findRemovedTexts(
  projects: ReadonlyMap<string, ProjectHistory>,
  records: readonly ProjectRecord[],
): ReadonlyMap<GitId | null, HistoryEntry["text"]> {
  const texts = new Map<GitId | null, HistoryEntry["text"]>();
  for (const { project, changes } of records) {
    for (const { key } of changes.filter(({ blob }) => blob === null)) {
      const last = projects.get(project)?.keys.get(key)?.entries.at(-1);
      if (last !== undefined && last.blob !== null) texts.set(last.blob, last.text);
    }
  }
  return texts;
}

function addEntry(history: ProjectHistory, entry: HistoryEntry): void {
  const known: KeyHistory = history.keys.get(entry.key) ?? { entries: [], byBlob: new Map(), standsSince: null };
  known.entries.push(entry);
  known.byBlob.set(entry.blob, entry);
  known.standsSince = entry.blob === null ? null : (known.standsSince ?? entry.ordinal);
  history.keys.set(entry.key, known);
}
