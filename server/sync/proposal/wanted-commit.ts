/** What a set becomes in git: its texts, and the words of its commits. */
import { LIMITS } from "../../../shared/limits.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { ProposalRequest } from "../../../shared/protocol/schemas.ts";
import type { GitPort } from "../../git/port.ts";
import type { Person } from "../person.ts";
import type { ProposalWords } from "./commit-proposal.ts";
import type { WantedChange, WantedSet } from "./parse-request.ts";
import type { CommitPlan } from "./plan-proposal.ts";
import type { OpenProposal } from "./proposal.ts";
import { toTitle } from "./to-title.ts";

export interface PutProposal {
  readonly project: ProjectName;
  readonly id: string;
  readonly request: ProposalRequest;
  readonly person: Person;
}

export interface WantedCommit {
  readonly put: PutProposal;
  readonly wanted: WantedSet;
  readonly open: OpenProposal | null;
  readonly plan: CommitPlan;
}

/** Only what is committed: a text that was refused never becomes a git object. */
export async function writeTexts(
  git: Pick<GitPort, "writeBlob">,
  { changes }: WantedSet,
  isCommitted: (change: WantedChange) => boolean,
): Promise<void> {
  const texts = changes.flatMap((change) => (change.text !== null && isCommitted(change) ? [change.text] : []));
  const encoder = new TextEncoder();
  for (let start = 0; start < texts.length; start += LIMITS.gitObjectsAtOnceMax) {
    const group = texts.slice(start, start + LIMITS.gitObjectsAtOnceMax);
    await Promise.all(group.map((text) => git.writeBlob(encoder.encode(text))));
  }
}

export function toPutWords({ put, wanted, open, plan }: WantedCommit): ProposalWords {
  const { id: proposal, project, person } = put;
  const { seq, content } = wanted;
  const given = toGivenTitle(wanted, open);
  const rest = { isTitled: given !== null, sent: plan.sent, reviewer: null, head: null, part: false };
  return {
    author: person,
    title: given ?? toTitle(plan.net),
    trailers: { proposal, project, person: person.id, seq, content, ...rest },
    isSealed: true,
  };
}

/** A title stays until another one is given. */
function toGivenTitle({ title }: WantedSet, open: OpenProposal | null): string | null {
  return title ?? (open?.isTitled === true ? open.title : null);
}
