/**
 * What a merge commit brought in beside its first parent. All of it counts as contained from now on; where commits of a
 * proposal's branch are among it, each memory they brought is attributed to whoever wrote it there.
 */
import type { Commit, GitId, GitPort } from "../../git/port.ts";
import { findSignedHeads, type SignedCommit, type Signer, toAuthorName } from "../proposal/signed-commit.ts";
import { diffKeys, type ProjectDiff } from "../snapshot/diff-keys.ts";
import type { ReadFolder } from "../snapshot/read-folder.ts";
import type { MergeRecord } from "./history-record.ts";
import { walkAncestors } from "./walk-ancestors.ts";

export interface RecordContext extends Signer {
  readonly git: Pick<GitPort, "readCommit">;
  readonly readFolder: ReadFolder;
  readonly clock: () => Date;
  /** Whether the base contained a commit before this one. */
  readonly contains: (id: GitId) => boolean;
  /** A key's blob just before this commit. */
  readonly blobBefore: (project: string, key: string) => GitId | null;
}

export interface Origin {
  readonly blob: GitId | null;
  readonly by: string;
  readonly at: number;
  readonly proposal: string | null;
}

export interface Side {
  readonly commits: readonly GitId[];
  /** By `<project>/<key>`: the last change of it on the side. */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly merges: readonly MergeRecord[];
}

const NO_ORIGINS: ReadonlyMap<string, Origin> = new Map();

/** `merged` is what the merge commit changed against its first parent. */
export async function readSide(context: RecordContext, merge: Commit, merged: readonly ProjectDiff[]): Promise<Side> {
  const { commits } = await walkAncestors(context.git, merge.parents.slice(1), context.contains);
  const heads = [...findSignedHeads(context, commits).values()];
  const merges = await Promise.all(heads.map((head) => readMerge(context, { merge, merged, head })));
  const origins = heads.length === 0 ? NO_ORIGINS : await readOrigins(context, commits);
  return { commits: commits.map(({ id }) => id), origins, merges };
}

interface SideMerge {
  readonly merge: Commit;
  readonly merged: readonly ProjectDiff[];
  readonly head: SignedCommit;
}

async function readMerge(context: RecordContext, { merge, merged, head }: SideMerge): Promise<MergeRecord> {
  const { proposal, project, person, seq } = head.trailers;
  const fork = await findFork(context, head.commit);
  const diffs = await diffKeys(context.readFolder, fork?.tree ?? null, head.commit.tree);
  const wanted = diffs.find((diff) => diff.project === project)?.keys ?? [];
  const taken = new Map(merged.find((diff) => diff.project === project)?.keys.map((diff) => [diff.key, diff]));
  const isLeftOut = ({ key, after }: (typeof wanted)[number]) =>
    !taken.has(key) && context.blobBefore(project, key) !== after;
  return {
    kind: "carried",
    ...{ proposal, project, person, seq, part: false, head: null },
    by: toAuthorName(head),
    title: head.subject,
    at: merge.committer.at.getTime(),
    keys: wanted.flatMap(({ key }) => taken.get(key) ?? []),
    leftOut: wanted.filter(isLeftOut),
  };
}

/** The commit of the base that a branch's commit was built on, by first parents. */
async function findFork(context: RecordContext, head: Commit): Promise<Commit | null> {
  let commit: Commit | null = head;
  while (commit !== null && !context.contains(commit.id)) {
    const [parent]: readonly GitId[] = commit.parents;
    commit = parent === undefined ? null : await context.git.readCommit(parent);
  }
  return commit;
}

async function readOrigins(context: RecordContext, commits: readonly Commit[]): Promise<ReadonlyMap<string, Origin>> {
  const origins = new Map<string, Origin>();
  let proposal: string | null = null;
  for (const commit of commits.toReversed()) {
    proposal = findSignedHeads(context, [commit]).keys().next().value ?? proposal;
    const [parent] = commit.parents;
    const before = parent === undefined ? null : (await context.git.readCommit(parent)).tree;
    for (const { project, keys } of await diffKeys(context.readFolder, before, commit.tree)) {
      const origin = { by: commit.author.name, at: commit.author.at.getTime(), proposal };
      for (const { key, after } of keys) {
        const path = `${project}/${key}`;
        // A merge on the side repeats what its own side brought.
        if (origins.get(path)?.blob !== after) origins.set(path, { ...origin, blob: after });
      }
    }
  }
  return origins;
}
