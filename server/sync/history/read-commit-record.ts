import type { Commit } from "../../git/port.ts";
import { parseSignedCommit, type SignedCommit, type Signer } from "../proposal/signed-commit.ts";
import { diffKeys, type KeyDiff, type ProjectDiff } from "../snapshot/diff-keys.ts";
import type { CommitRecord, KeyRecord, MergeRecord } from "./history-record.ts";
import { type RecordContext, readSide, type Side } from "./read-side.ts";

/** One commit on the base against its first parent; `parent` null: against nothing. */
export async function readCommitRecord(
  context: RecordContext,
  commit: Commit,
  parent: Commit | null,
): Promise<CommitRecord> {
  const diffs = await diffKeys(context.readFolder, parent?.tree ?? null, commit.tree);
  const side = await readSide(context, commit, diffs);
  const own = readOwnMerge(context, commit, diffs);
  const proposal = own?.proposal ?? null;
  const now = context.clock().getTime();
  const projects = diffs.map(({ project, tree, keys }) => ({
    project,
    tree,
    changes: keys.map((diff) =>
      toKeyRecord(diff, { commit, proposal, now, origin: side.origins.get(`${project}/${diff.key}`) }),
    ),
  }));
  const merges = [...side.merges, ...(own === null ? [] : [own])];
  return { id: commit.id, parent: parent?.id ?? null, brings: side.commits, projects, merges };
}

interface Attribution {
  readonly commit: Commit;
  readonly proposal: string | null;
  readonly now: number;
  readonly origin: ReturnType<Side["origins"]["get"]>;
}

/** To the person who wrote this very text on a proposal's branch, else to the commit's author. */
function toKeyRecord({ key, after }: KeyDiff, { commit, proposal, now, origin }: Attribution): KeyRecord {
  const { author } = commit;
  const from = origin?.blob === after ? origin : { by: author.name, at: author.at.getTime(), proposal };
  return { key, blob: after, at: Math.min(from.at, now), by: from.by, proposal: from.proposal };
}

/** What the commit's own message says that it merges. It needs no seal: whoever puts a commit on the base may merge. */
function readOwnMerge(signer: Signer, commit: Commit, diffs: readonly ProjectDiff[]): MergeRecord | null {
  const signed = parseSignedCommit(signer, commit);
  if (signed === null) return null;
  const { proposal, project, person, seq, part, head } = signed.trailers;
  return {
    kind: toKind(signed),
    ...{ proposal, project, person, seq, part, head },
    by: commit.author.name,
    title: signed.subject,
    at: commit.committer.at.getTime(),
    keys: diffs.find((diff) => diff.project === project)?.keys ?? [],
    leftOut: [],
  };
}

function toKind({ isOwn, trailers }: SignedCommit): MergeRecord["kind"] {
  if (!isOwn) return "squashed";
  return trailers.reviewer === null ? "carried" : "approved";
}
