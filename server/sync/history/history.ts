/** Keeps the index of the base's history in step with the base, and its file in step with the index. */
import { join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import type { Commit, GitId, GitPort } from "../../git/port.ts";
import type { EngineLog } from "../engine-log.ts";
import type { Signer } from "../proposal/signed-commit.ts";
import type { ReadFolder } from "../snapshot/read-folder.ts";
import { appendHistoryFile, type HistoryLine, readHistoryFile, writeHistoryFile } from "./history-file.ts";
import { buildHistoryIndex, type HistoryIndex } from "./history-index.ts";
import { readCommitRecord } from "./read-commit-record.ts";
import type { RecordContext } from "./read-side.ts";

export interface History {
  index(): HistoryIndex;
  /** Reads the commits that the base has gained; all anew where the base is no longer a descendant of what is known. */
  catchUp(base: GitId): Promise<void>;
  noteServed(project: string, raw: GitId, served: GitId): Promise<void>;
}

export interface HistoryOptions extends Signer {
  readonly git: Pick<GitPort, "readCommit">;
  readonly readFolder: ReadFolder;
  readonly clock: () => Date;
  readonly cacheFolder: string;
  readonly log: EngineLog;
}

/** Lines are written in groups, so that a kill while a long history is read for the first time loses little. */
const LINES_PER_WRITE = 200;

export async function openHistory(options: HistoryOptions): Promise<History> {
  const path = join(options.cacheFolder, "history.jsonl");
  const { lines: known, whole } = await readHistoryFile(path);
  let index = toIndex(known);

  const write = (lines: readonly HistoryLine[]) => persist(options.log, () => writeHistoryFile(path, lines));
  const append = (lines: readonly HistoryLine[]) => persist(options.log, () => appendHistoryFile(path, lines));
  if (!whole) await write(known);

  /** Forgets what the base no longer holds. */
  const rewind = async (joint: GitId | null) => {
    const kept = keepUntil((await readHistoryFile(path)).lines, joint);
    index = toIndex(kept);
    await write(kept);
  };

  const addAll = async ({ commits, joint }: WalkedBack) => {
    const lines: HistoryLine[] = [];
    let parent = joint;
    try {
      for (const id of commits.toReversed()) {
        const commit = await options.git.readCommit(id);
        const record = await readCommitRecord(toContext(options, index), commit, parent);
        index.add(record);
        parent = commit;
        lines.push({ commit: record });
        if (lines.length >= LINES_PER_WRITE) await append(lines.splice(0));
      }
    } finally {
      await append(lines);
    }
  };

  return {
    index: () => index,
    catchUp: async (base) => {
      if (index.tip() === base) return;
      const walked = await walkBack(options.git, base, index);
      const fits = (walked.joint?.id ?? null) === index.tip();
      if (!fits) await rewind(walked.joint?.id ?? null);
      await addAll(fits ? walked : await walkBack(options.git, base, index));
    },
    noteServed: async (project, raw, served) => {
      if (index.noteServed(project, raw, served)) await append([{ served: { project, raw, served } }]);
    },
  };
}

/** The index works without its file: a full disk costs the next start time, nothing else. */
async function persist(log: EngineLog, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    log.warn({ err: error }, "The history's cache could not be written; it is read from git at the next start");
  }
}

function toContext({ git, readFolder, committer, sealKey, clock }: HistoryOptions, index: HistoryIndex): RecordContext {
  const contains = (id: GitId) => index.ordinal(id) !== undefined;
  const blobBefore = (project: string, key: string) => index.entries(project, key).at(-1)?.blob ?? null;
  return { git, readFolder, committer, sealKey, clock, contains, blobBefore };
}

interface WalkedBack {
  /** Newest first. Ids alone: of a long history all messages together are too much to hold. */
  readonly commits: readonly GitId[];
  /** The newest commit that the index knows already. */
  readonly joint: Commit | null;
}

async function walkBack(git: Pick<GitPort, "readCommit">, base: GitId, index: HistoryIndex): Promise<WalkedBack> {
  const commits: GitId[] = [];
  for (let id: GitId | undefined = base; id !== undefined && commits.length < LIMITS.historyCommitsMax; ) {
    const commit: Commit = await git.readCommit(id);
    if (index.chainOrdinal(id) !== undefined) return { commits, joint: commit };
    commits.push(id);
    id = commit.parents[0];
  }
  return { commits, joint: null };
}

function keepUntil(lines: readonly HistoryLine[], joint: GitId | null): readonly HistoryLine[] {
  const end = lines.findIndex((line) => "commit" in line && line.commit.id === joint);
  return lines.slice(0, end + 1);
}

function toIndex(lines: readonly HistoryLine[]): HistoryIndex {
  const index = buildHistoryIndex();
  for (const line of lines) {
    if ("commit" in line) index.add(line.commit);
    else index.noteServed(line.served.project, line.served.raw, line.served.served);
  }
  return index;
}
