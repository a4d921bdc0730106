/**
 * Small JSON files on one reference of the remote: people, tokens, invites, close reasons. They live in git, beside
 * the memories, so that a fresh data folder and every replica agree and a backup of the repository is a backup of
 * everything. A write is a commit and a compare-and-swap of the reference: killed before the swap it never happened,
 * after it, it is whole.
 */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { GitId, GitPort, Identity, TreeChange } from "../git/port.ts";
import { SERVICE_IDENTITY } from "../git/service-identity.ts";
import { type Attempt, retryLostRace } from "./retry-lost-race.ts";

export const STATE_REF = "refs/team-memory/state";

/** One file: its name on the state reference, its strict parser (throws on anything foreign), its first value. */
export interface StateFile<T> {
  readonly name: string;
  parse(json: unknown): T;
  readonly empty: T;
}

/** A new value, or the one that was given (by identity) when nothing changes, and what the caller gets back. */
export interface StateChange<T, R> {
  readonly value: T;
  readonly result: R;
}

type FileSet = Readonly<Record<string, StateFile<unknown>>>;
export type ValuesOf<F extends FileSet> = { readonly [K in keyof F]: F[K]["empty"] };

export interface StateFiles {
  /** The current value; the same object as long as the file has not changed, whoever wrote it. */
  read<T>(file: StateFile<T>): Promise<T>;
  /** Several files as they stood in one commit. */
  readTogether<F extends FileSet>(files: F): Promise<ValuesOf<F>>;
  /**
   * Changes one file. `change` is pure: it runs again on the newer value when another writer was first, and what it
   * throws is thrown with nothing written.
   * @throws TeamMemoryError lost_race, repository_damaged
   */
  update<T, R>(file: StateFile<T>, change: (value: T) => StateChange<T, R>): Promise<R>;
  /** Changes several files in one commit, all or none. */
  updateTogether<F extends FileSet, R>(
    files: F,
    change: (values: ValuesOf<F>) => StateChange<ValuesOf<F>, R>,
  ): Promise<R>;
}

/** The state reference at one commit: which blob each file is. */
interface StateHead {
  readonly commit: GitId | null;
  readonly blobs: ReadonlyMap<string, GitId>;
}

const NO_STATE: StateHead = { commit: null, blobs: new Map() };

/** `author`: of the commits that it is kept in. */
export function openStateFiles(git: GitPort, clock: () => Date, author: Identity = SERVICE_IDENTITY): StateFiles {
  const readHead = cacheHead(git);
  const readValue = cacheValues(git);
  let lastWrite: Promise<unknown> = Promise.resolve();

  const readTogether = async <F extends FileSet>(files: F): Promise<ValuesOf<F>> => readAll(files, await readHead());
  const readAll = async <F extends FileSet>(files: F, head: StateHead): Promise<ValuesOf<F>> => {
    const pairs = Object.entries(files).map(async ([slot, file]) => [slot, await readValue(file, head)] as const);
    return Object.fromEntries(await Promise.all(pairs)) as ValuesOf<F>;
  };

  const updateTogether: StateFiles["updateTogether"] = (files, change) => {
    // One write at a time in this process: our own writers never race each other, only other processes'.
    const write = lastWrite.then(() =>
      retryLostRace(namesOf(files), async () => {
        const head = await readHead();
        const before = await readAll(files, head);
        const { value: after, result } = change(before);
        return tryWrite({ git, clock, author, files, head, before, after, result });
      }),
    );
    lastWrite = write.catch(() => undefined);
    return write;
  };

  return {
    readTogether,
    updateTogether,
    read: async (file) => readValue(file, await readHead()),
    update: (file, change) =>
      updateTogether({ file }, ({ file: before }) => {
        const { value, result } = change(before);
        return { value: { file: value }, result };
      }),
  };
}

function cacheHead(git: GitPort): () => Promise<StateHead> {
  let last = NO_STATE;
  return async () => {
    const commit = await git.readRef(STATE_REF);
    if (commit === null) return NO_STATE;
    if (commit !== last.commit) last = { commit, blobs: await readStateTree(git, commit) };
    return last;
  };
}

async function readStateTree(git: GitPort, commit: GitId): Promise<ReadonlyMap<string, GitId>> {
  const { tree } = await git.readCommit(commit);
  const entries = await git.readTree(tree, LIMITS.stateFilesMax);
  return new Map(entries.flatMap(({ name, id }) => (name === null ? [] : [[name, id] as const])));
}

type ReadValue = <T>(file: StateFile<T>, head: StateHead) => Promise<T>;

/** Parsed values by file, kept while the file's blob stays the same. */
function cacheValues(git: GitPort): ReadValue {
  const last = new Map<string, { readonly blob: GitId; readonly value: unknown }>();
  return async <T>(file: StateFile<T>, head: StateHead): Promise<T> => {
    const blob = head.blobs.get(file.name);
    if (blob === undefined) return file.empty;
    const kept = last.get(file.name);
    if (kept?.blob === blob) return kept.value as T;
    const value = await readStateFile(git, file, blob);
    last.set(file.name, { blob, value });
    return value;
  };
}

async function readStateFile<T>(git: GitPort, file: StateFile<T>, blob: GitId): Promise<T> {
  const bytes = (await git.readBlobs([blob], LIMITS.stateFileSizeBytesMax)).get(blob);
  if (!bytes) throw damaged(file.name, "it is missing or too large");
  try {
    return file.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch (cause) {
    throw damaged(file.name, "it does not parse", cause);
  }
}

function damaged(name: string, why: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("repository_damaged", `Could not read the state file ${name}: ${why}`, {
    details: { file: name },
    cause,
  });
}

interface Write<F extends FileSet, R> {
  readonly git: GitPort;
  readonly clock: () => Date;
  readonly author: Identity;
  readonly files: F;
  readonly head: StateHead;
  readonly before: ValuesOf<F>;
  readonly after: ValuesOf<F>;
  readonly result: R;
}

/** A kill before publish leaves objects that nothing refers to; after it, the change is complete. */
async function tryWrite<F extends FileSet, R>(write: Write<F, R>): Promise<Attempt<R>> {
  const changes = await writeBlobs(write);
  if (changes.length === 0) return { kind: "done", result: write.result };
  const commit = await commitState(write, changes);
  const outcome = await write.git.publish([{ ref: STATE_REF, expectedOld: write.head.commit, new: commit }]);
  if (outcome.kind === "published") return { kind: "done", result: write.result };
  await write.git.refresh();
  return { kind: "lost" };
}

async function writeBlobs<F extends FileSet, R>({ git, files, before, after }: Write<F, R>): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  for (const [slot, file] of Object.entries(files)) {
    if (before[slot] === after[slot]) continue;
    changes.push({ path: file.name, blob: await git.writeBlob(toBytes(file.name, after[slot])) });
  }
  return changes;
}

/** @throws TeamMemoryError too_large: a file past its bound could be written once and never be read again */
function toBytes(name: string, value: unknown): Uint8Array {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  if (bytes.byteLength <= LIMITS.stateFileSizeBytesMax) return bytes;
  throw new TeamMemoryError(
    "too_large",
    `Could not write the state file ${name}: over ${LIMITS.stateFileSizeBytesMax} bytes`,
  );
}

function commitState<F extends FileSet, R>(write: Write<F, R>, changes: readonly TreeChange[]): Promise<GitId> {
  const message = `Write ${changes.map(({ path }) => path).join(", ")}\n`;
  const { author, head } = write;
  const request = { changes, author, committer: author, at: write.clock(), message };
  const { commit } = head;
  return commit === null ? write.git.commitRoot(request) : write.git.commitChanges({ ...request, parents: [commit] });
}

function namesOf(files: FileSet): string {
  return Object.values(files)
    .map(({ name }) => name)
    .join(", ");
}
