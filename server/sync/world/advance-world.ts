import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId, RefUpdate } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { adoptProposal } from "../proposal/adopt-proposal.ts";
import { BASES_FILE } from "./bases-file.ts";
import { readProjects } from "./read-projects.ts";
import { withOpen } from "./world.ts";

export interface Landed {
  readonly project: ProjectName;
  readonly id: string;
  /** Where the proposal's branch went with the base; null: it stays. */
  readonly branch: RefUpdate | null;
}

interface Advance {
  /** The base that was just published. */
  readonly base: GitId;
  readonly landed: readonly Landed[];
}

/** Takes what was just published into the world; everything else is looked at in its time. */
export async function advanceWorld(context: EngineContext, { base, landed }: Advance): Promise<void> {
  await context.history.catchUp(base);
  const before = context.world();
  const bases = await context.state.read(BASES_FILE);
  const reviewed = new Set(landed.map(({ project }) => project));
  const projects = await readProjects(context, before, { base, bases, reviewed });
  const deleted = new Set(landed.flatMap(({ id, branch }) => (branch !== null && branch.new === null ? [id] : [])));
  const open = new Map([...before.open].filter(([id]) => !deleted.has(id)));
  context.install(withOpen({ ...before, ...projects, base }, open));
  for (const { id, branch } of landed) {
    const head = branch === null ? open.get(id)?.head : branch.new;
    if (head) await adoptProposal(context, id, head);
  }
}
