import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { adoptProposal } from "../proposal/adopt-proposal.ts";
import { BASES_FILE } from "./bases-file.ts";
import { readProjects } from "./read-projects.ts";
import { withOpen } from "./world.ts";

interface Advance {
  /** The base that was just published. */
  readonly base: GitId;
  /** The proposal that it merges, and where its branch stands now; null: deleted. */
  readonly id: string;
  readonly head: GitId | null;
}

/** Takes a merge that was just published into the world; everything else is looked at in its time. */
export async function advanceWorld(context: EngineContext, { base, id, head }: Advance): Promise<void> {
  await context.history.catchUp(base);
  const before = context.world();
  const open = new Map(before.open);
  if (head === null) open.delete(id);
  const bases = await context.state.read(BASES_FILE);
  const reviewed = before.open.get(id)?.project ?? null;
  context.install(
    withOpen({ ...before, ...(await readProjects(context, before, { base, bases, reviewed })), base }, open),
  );
  if (head !== null && head !== before.open.get(id)?.head) await adoptProposal(context, id, head);
}
