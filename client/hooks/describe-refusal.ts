import type { ErrorCode } from "../../shared/errors/codes.ts";
import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { toVisibleLine } from "../../shared/memory/invisible-characters.ts";

export interface WhereRefused {
  readonly memoryDir: string;
  readonly teamDir: string;
}

/** A refusal to write into `team/`, as the agent that tried it is told: what is wrong, where, and what to do. Pure. */
export function describeRefusal(error: TeamMemoryError, where: WhereRefused): string {
  const remedy = REMEDIES[error.code]?.(where) ?? error.row.remedy;
  return `Not written: ${toVisibleLine([error.message, ...listOthers(error)].join("; "))}. ${remedy}`;
}

const REMEDIES: Partial<Record<ErrorCode, (where: WhereRefused) => string>> = {
  path_traversal: ({ teamDir }) =>
    `Write it to a file of a plain name below ${teamDir}/, such as feedback_testing.md or project_release.md.`,
  private_memory: ({ memoryDir }) =>
    `What is about one person goes into ${memoryDir}/ itself, outside of team/. If it is for everyone on the project, ` +
    "give it the type feedback, project or reference.",
  too_large: () => "Keep one topic a file: split it, or leave out what can be read in the project itself.",
  invalid_memory: () =>
    "A team memory begins with a line of ---, then name, description and type (feedback, project or reference) on one " +
    "line each, then a line of ---; put quotes around a value with a colon in it.",
};

/** The message names the first problem; an agent corrects all of them at once where it knows of them. */
function listOthers({ details }: TeamMemoryError): readonly string[] {
  const problems: readonly unknown[] = Array.isArray(details["problems"]) ? details["problems"] : [];
  return problems.slice(1, PROBLEMS_MAX).map((problem) => {
    const { field, line, message } = problem as { field: string; line: number; message: string };
    return `line ${line}: ${field} ${message}`;
  });
}

const PROBLEMS_MAX = 8;
