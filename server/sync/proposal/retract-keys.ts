import { toRemoteFolder } from "../../../shared/project/parse-project-name.ts";
import type { EngineContext } from "../engine-context.ts";
import { adoptProposal } from "./adopt-proposal.ts";
import type { OpenProposal } from "./proposal.ts";
import { toProposalRef } from "./refs.ts";
import { findOverrides } from "./sent.ts";
import { formatMessage } from "./trailers.ts";

/** One more commit on the branch that puts these keys back to what they were. False: the branch has moved. */
export async function retractKeys(
  context: EngineContext,
  open: OpenProposal,
  keys: ReadonlySet<string>,
): Promise<boolean> {
  const folder = toRemoteFolder(open.project);
  const retracted = [...open.changes].filter(([key]) => keys.has(key));
  const head = await context.git.commitChanges({
    parents: [open.head],
    changes: retracted.map(([key, { base }]) => ({ path: `${folder}/${key}`, blob: base })),
    author: open.person,
    committer: context.committer,
    at: context.clock(),
    message: toMessage(open, keys),
  });
  const published = await context.git.publish([{ ref: toProposalRef(open.id), expectedOld: open.head, new: head }]);
  if (published.kind === "lost") return false;
  await adoptProposal(context, open.id, head);
  return true;
}

/** The set stays the one that the client sent: sent once more, it changes nothing. */
function toMessage(open: OpenProposal, keys: ReadonlySet<string>): string {
  return formatMessage(open.title, {
    proposal: open.id,
    project: open.project,
    person: open.person.id,
    seq: open.seq,
    content: open.content,
    sent: findOverrides(without(open.sent, keys), without(open.changes, keys)),
    reviewer: null,
    head: null,
    part: false,
  });
}

function without<T>(map: ReadonlyMap<string, T>, keys: ReadonlySet<string>): ReadonlyMap<string, T> {
  return new Map([...map].filter(([key]) => !keys.has(key)));
}
