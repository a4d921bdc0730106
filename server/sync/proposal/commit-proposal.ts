/** The commits that the service makes of a proposal: by its person, with its trailers. */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { toRemoteFolder } from "../../../shared/project/parse-project-name.ts";
import type { GitId, Identity } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { adoptProposal } from "./adopt-proposal.ts";
import type { BranchStep, BranchSteps } from "./plan-branch.ts";
import type { OpenProposal } from "./proposal.ts";
import { toProposalRef } from "./refs.ts";
import { toSealLine } from "./seal.ts";
import { toTitle } from "./to-title.ts";
import { formatMessage, type Trailers } from "./trailers.ts";

export interface ProposalWords {
  readonly author: Identity;
  readonly title: string;
  readonly trailers: Trailers;
  /** False for a proposal without a seal: the service's next commit must not vouch for what only says that it is theirs. */
  readonly isSealed: boolean;
}

/** What a commit says that leaves the branch, or the base, with these changes of the proposal. */
export function toWords(open: OpenProposal, changes: OpenProposal["changes"]): ProposalWords {
  const { id: proposal, project, person, seq, content, isTitled, isSealed } = open;
  const none = { sent: new Map(), reviewer: null, head: null, part: false };
  return {
    author: person,
    title: isTitled ? open.title : toTitle(changes),
    trailers: { proposal, project, person: person.id, seq, content, isTitled, ...none },
    isSealed,
  };
}

export function commitProposal(
  context: EngineContext,
  { parent, blobs }: BranchStep,
  { author, title, trailers, isSealed }: ProposalWords,
): Promise<GitId> {
  const folder = toRemoteFolder(trailers.project);
  return context.git.commitChanges({
    parents: [parent],
    changes: [...blobs].map(([key, blob]) => ({ path: `${folder}/${key}`, blob })),
    author,
    committer: context.committer,
    at: context.clock(),
    message: formatMessage(title, trailers),
    ...(isSealed && { lastLine: (commit) => toSealLine(context.sealKey, commit) }),
  });
}

interface BranchCommit extends ProposalWords {
  /** Null: there is no branch yet. */
  readonly open: OpenProposal | null;
  readonly steps: BranchSteps;
}

/** The proposal as its branch has it then. Null: the branch has moved. */
export async function commitToBranch(context: EngineContext, commit: BranchCommit): Promise<OpenProposal | null> {
  const { open, steps, ...words } = commit;
  const id = words.trailers.proposal;
  const [step, ...others] = steps;
  const head = await commitProposal(context, step, words);
  try {
    const update = { ref: toProposalRef(id), expectedOld: open?.head ?? null, new: head };
    const outcome = await context.git.publish([update]);
    return outcome.kind === "lost" ? null : await adoptProposal(context, id, head);
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !isTeamMemoryError(error) || error.code !== "remote_refused") throw error;
    context.log.info({ proposal: id, err: error }, "The remote lets no branch be rewritten; what was withdrawn stays");
    return commitToBranch(context, { ...words, open, steps: [next, ...rest] });
  }
}
