import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { ProposalDetail } from "../../../shared/protocol/schemas.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { presentById } from "../proposal/present-by-id.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import type { BlobText } from "../snapshot/blob-texts.ts";
import { findTextFailures } from "./assert-mergeable.ts";
import { findPushed } from "./commit-approval.ts";
import { findLeftBehind } from "./find-left-behind.ts";

/** A proposal as a reviewer reads it. One that has ended has no texts: its branch is gone. */
export async function readDetail(context: EngineContext, project: ProjectName, id: string): Promise<ProposalDetail> {
  const proposal = presentById(context, project, id);
  const open = context.world().open.get(id);
  if (open === undefined || proposal.state !== "open") return { ...proposal, diff: [], checks: [] };
  return { ...proposal, diff: await readDiff(context, open), checks: await readChecks(context, open) };
}

async function readDiff({ texts }: EngineContext, { changes }: OpenProposal): Promise<ProposalDetail["diff"]> {
  const ids = [...changes.values()].flatMap(({ base, blob }) => [base, blob]).filter((id) => id !== null);
  const blobs = await texts.read(ids);
  const toText = (id: GitId | null) => textOf(id === null ? undefined : blobs.get(id));
  return [...changes].map(([key, { base, blob }]) => ({ key, before: toText(base), after: toText(blob) }));
}

/** Null: no file, or nothing that can be shown as text. */
function textOf(blob: BlobText | undefined): string | null {
  return blob === undefined || "rule" in blob ? null : blob.text;
}

const LEFT_BEHIND = "A withdrawn text stays in the branch's history: approve it here, or merge it with --squash";

const PUSHED = "Was committed to the branch with git: it is not what the proposal's person sent";

/** What keeps it, or a part of it, from being approved, and what a merge with plain git would take along. */
async function readChecks(context: EngineContext, open: OpenProposal): Promise<ProposalDetail["checks"]> {
  const failures = await findTextFailures(context.texts, open.changes);
  const left = await findLeftBehind(context, open);
  const message = "Is no memory of the project: merge it with git, or take it off the branch";
  return [
    ...failures.map(({ key, code, message: why }) => ({ key, check: code, message: why })),
    ...[...findPushed(open)].map((key) => ({ key, check: "pushed", message: PUSHED })),
    ...open.foreign.map((path) => ({ key: path, check: "foreign", message })),
    ...[...left].map((key) => ({ key, check: "history", message: LEFT_BEHIND })),
  ];
}
