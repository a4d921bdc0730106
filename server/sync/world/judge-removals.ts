import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineContext } from "../engine-context.ts";
import { readProjectTree } from "../snapshot/read-project-tree.ts";
import { type Bases, countLost, type Hold, isAccepted, isMassRemoval } from "./hold.ts";

interface Step {
  readonly project: ProjectName;
  /** The folder that is served; undefined: none is. */
  readonly from: GitId | undefined;
  readonly to: GitId | null;
  /** The base's commit now. */
  readonly revision: GitId;
  /** What was held of the project so far. */
  readonly known: Hold | null;
  readonly bases: Bases;
}

/** Null: the project may go on. What is held already keeps the revision by which it is accepted, wherever the base goes. */
export async function judgeRemovals({ readFolder }: Pick<EngineContext, "readFolder">, step: Step) {
  const { project, from, to, revision, known, bases } = step;
  if (from === undefined || from === to || isAccepted(bases, { project, from, to })) return null;
  if (known?.from === from && known.to === to) return known;
  const before = await readProjectTree(readFolder, from, new Map());
  const after = to === null ? new Map<string, GitId>() : (await readProjectTree(readFolder, to, before.files)).files;
  const lost = countLost(before.files, after);
  const hold: Hold = { project, from, to, revision, lost, of: before.files.size };
  return isMassRemoval(hold.lost, hold.of) ? hold : null;
}
