/** Reads a proposal back from its branch: nothing about it is kept anywhere else. */
import { LIMITS } from "../../../shared/limits.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import { isMemoryKey, type MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { toRemoteFolder } from "../../../shared/project/parse-project-name.ts";
import type { Commit, GitId, GitPort } from "../../git/port.ts";
import type { HistoryIndex } from "../history/history-index.ts";
import { walkAncestors } from "../history/walk-ancestors.ts";
import { diffFolders, type PathChange } from "../snapshot/diff-folders.ts";
import { toBlob } from "../snapshot/diff-keys.ts";
import type { ReadFolder } from "../snapshot/read-folder.ts";
import type { KeyChange, OpenProposal } from "./proposal.ts";
import { type SentSet, toSent } from "./sent.ts";
import {
  findSignedHeads,
  parseSignedCommit,
  type SignedCommit,
  type Signer,
  toAuthorName,
  toPushedName,
} from "./signed-commit.ts";
import { toTitle } from "./to-title.ts";

export interface ProposalContext extends Signer {
  readonly git: Pick<GitPort, "readCommit">;
  readonly readFolder: ReadFolder;
}

export interface ProposalBranch {
  readonly id: string;
  readonly head: GitId;
}

/**
 * Null for a branch that is no proposal of ours: none of its commits says so, it does not build on the base, or it is
 * longer than any proposal.
 */
export async function readProposal(
  context: ProposalContext,
  index: HistoryIndex,
  branch: ProposalBranch,
): Promise<OpenProposal | null> {
  const walked = await walkBranch(context, index, branch.head);
  const signed = findSignedHeads(context, walked.commits).get(branch.id);
  const [head] = walked.commits;
  if (head === undefined || signed === undefined || walked.fork === null) return null;
  const { changes, foreign } = await readChanges(context, signed, { fork: walked.fork, head });
  const foreignCommits = walked.commits.filter((commit) => !isCommitOf(context, branch.id, commit));
  const person = toPerson(signed);
  return {
    id: branch.id,
    project: signed.trailers.project,
    ...describe(signed, walked.commits),
    person,
    others: findOthers(foreignCommits, person.name),
    pusher: toPusher(foreignCommits),
    title: signed.trailers.isTitled ? signed.subject : toTitle(changes),
    isTitled: signed.trailers.isTitled,
    head: head.id,
    fork: walked.fork,
    commits: walked.commits.map(({ id }) => id),
    hasHumanCommits: foreignCommits.length > 0,
    changes,
    sent: signed.isOwn && signed.commit === head ? toSentSet(signed, changes) : await readSent(context, index, signed),
    foreign,
    approved: await readApproved(context, index, { signed, fork: walked.fork, commits: walked.commits, changes }),
    mergesSeen: index.merges(branch.id).length,
  };
}

interface ApprovedFacts {
  readonly signed: SignedCommit;
  readonly fork: GitId;
  readonly commits: readonly Commit[];
  readonly changes: OpenProposal["changes"];
}

/** What was approved of a head that the branch still has, and reads the same today. */
async function readApproved(
  context: ProposalContext,
  index: HistoryIndex,
  { signed, fork, commits, changes }: ApprovedFacts,
): Promise<ReadonlySet<MemoryKey>> {
  const approved = new Set<MemoryKey>();
  for (const merge of index.merges(signed.trailers.proposal)) {
    const head = merge.kind === "approved" ? commits.find(({ id }) => id === merge.head) : undefined;
    if (head === undefined) continue;
    const { changes: before } = await readChanges(context, signed, { fork, head });
    for (const { key } of merge.keys) {
      const was = before.get(key);
      if (was !== undefined && was.blob === changes.get(key)?.blob) approved.add(key);
    }
  }
  return approved;
}

interface Branch {
  readonly commits: readonly Commit[];
  readonly fork: GitId | null;
}

async function walkBranch({ git }: ProposalContext, index: HistoryIndex, head: GitId): Promise<Branch> {
  const { commits, joints } = await walkAncestors(git, [head], (id) => index.ordinal(id) !== undefined);
  return { commits, fork: findFork(index, joints) };
}

function isCommitOf(signer: Signer, proposal: string, commit: Commit): boolean {
  const signed = parseSignedCommit(signer, commit);
  return signed?.isSealed === true && signed.trailers.proposal === proposal;
}

/**
 * What the client sent last, where people have committed since: as the service's own newest commit has it. Where no
 * commit is its own any more, nothing is known of it, and whatever the client sends differs.
 */
async function readSent(context: ProposalContext, index: HistoryIndex, signed: SignedCommit): Promise<SentSet> {
  const { fork } = await walkBranch(context, index, signed.commit.id);
  if (!signed.isOwn || fork === null) return new Map();
  const { changes } = await readChanges(context, signed, { fork, head: signed.commit });
  return toSentSet(signed, changes);
}

/** The newest commit of the base that the branch has: its own start, or one that somebody merged into it later. */
function findFork(index: HistoryIndex, joints: readonly GitId[]): GitId | null {
  const ordinal = (id: GitId) => index.ordinal(id) ?? -1;
  return joints.toSorted((one, other) => ordinal(other) - ordinal(one))[0] ?? null;
}

/** The newest first, bounded: anyone who may push can add names. */
function findOthers(commits: readonly Commit[], owner: string): readonly string[] {
  const names = new Set(commits.map(({ author }) => toPushedName(author.name)));
  names.delete(owner);
  return [...names].slice(0, LIMITS.pushersNamedMax);
}

/** Of the newest commit. */
function toPusher([commit]: readonly Commit[]): OpenProposal["pusher"] {
  return commit === undefined ? null : { name: toPushedName(commit.author.name), email: commit.author.email };
}

function toPerson(signed: SignedCommit): OpenProposal["person"] {
  return { id: signed.trailers.person, name: toAuthorName(signed), email: signed.commit.author.email };
}

function describe(signed: SignedCommit, commits: readonly Commit[]) {
  const times = commits.map(({ committer }) => committer.at.getTime());
  return {
    isSealed: signed.isSealed,
    seq: signed.trailers.seq,
    content: signed.trailers.content,
    createdAt: new Date(Math.min(...times)),
    updatedAt: new Date(Math.max(...times)),
  };
}

interface Changes {
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
  readonly foreign: readonly string[];
}

async function readChanges(
  { git, readFolder }: ProposalContext,
  { trailers }: SignedCommit,
  { fork, head }: { readonly fork: GitId; readonly head: Commit },
): Promise<Changes> {
  const diff = await diffFolders(readFolder, (await git.readCommit(fork)).tree, head.tree);
  const prefix = `${toRemoteFolder(trailers.project)}/`;
  const changes = new Map<MemoryKey, KeyChange>();
  const foreign = [...diff.odd, ...(diff.complete ? [] : ["…"])];
  for (const change of diff.changes) {
    const key = toKey(change, prefix);
    const sides = { base: toBlob(change.before), blob: toBlob(change.after) };
    if (key === null) foreign.push(escapeForDisplay(change.path));
    else if (sides.base !== sides.blob) changes.set(key, sides);
  }
  return { changes, foreign };
}

/** Null for what the service cannot merge: another place, no plain file, a name that no memory may have. */
function toKey({ path, before, after }: PathChange, prefix: string): MemoryKey | null {
  const key = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  const file = after ?? before;
  return toBlob(file) !== null && isMemoryKey(key) ? key : null;
}

function toSentSet({ trailers }: SignedCommit, changes: ReadonlyMap<string, KeyChange>): SentSet {
  return new Map([...[...changes].map(([key, change]) => [key, toSent(change)] as const), ...trailers.sent]);
}
