/** Does one step of the plan at the forge. Killed in the middle, the next look finds what is left of it to do. */
import type { EngineLog } from "../sync/engine-log.ts";
import { toBranchName } from "../sync/proposal/refs.ts";
import type { Forge, PullRequest } from "./forge.ts";
import type { DeskEngine } from "./forge-desk.ts";
import { LABEL, type PullRequestStep } from "./plan-pull-requests.ts";
import type { PullRequestBook } from "./pull-request-book.ts";
import { isOwnTitle, readMarker, replaceOurs, toComment, toPullRequestText } from "./pull-request-text.ts";

export interface StepContext {
  readonly forge: Forge;
  readonly book: PullRequestBook;
  readonly engine: Pick<DeskEngine, "describe">;
  /** Who is asked to review each; names as the forge has them. */
  readonly reviewers: readonly string[];
  readonly log: EngineLog;
}

/**
 * False: there is nothing there for the forge to take, and there will not be.
 * @throws TeamMemoryError as the forge refuses it
 */
export async function takeStep(context: StepContext, step: PullRequestStep): Promise<boolean> {
  switch (step.kind) {
    case "open":
      return open(context, step.id);
    case "rewrite":
      await rewrite(context, step.id, step.request);
      return true;
    case "announce":
      await announce(context, step.request);
      return true;
    case "settle":
      await context.forge.comment(step.request.number, toComment(`This proposal has ended: ${ENDS[step.end]}.`));
      await context.forge.close(step.request.number);
      context.book.take({ ...step.request, state: "closed" });
      return true;
  }
}

const ENDS = {
  merged: "its memories are on the base",
  closed: "a reviewer has closed it",
  withdrawn: "its author has taken it back",
} as const;

async function open(context: StepContext, id: string): Promise<boolean> {
  const { forge, book, engine, log } = context;
  const proposal = await engine.describe(id);
  if (proposal === null) return true;
  const request = await forge.open({ branch: toBranchName(id), ...toPullRequestText(proposal) });
  if (request === null) return false;
  book.take(request);
  log.info({ proposal: id, pullRequest: request.number }, "A pull request was opened");
  await announce(context, request);
  return true;
}

/** A title that somebody gave it is theirs. */
async function rewrite({ forge, book, engine }: StepContext, id: string, request: PullRequest): Promise<void> {
  const proposal = await engine.describe(id);
  if (proposal === null) return;
  const text = toPullRequestText(proposal);
  const marker = readMarker(request.body);
  const title = marker === null || isOwnTitle(marker, request.title) ? text.title : request.title;
  const body = replaceOurs(request.body, text.body);
  await forge.edit(request.number, { body, ...(title !== request.title && { title }) });
  book.take({ ...request, title, body });
}

async function announce({ forge, book, reviewers }: StepContext, request: PullRequest): Promise<void> {
  if (request.labels.includes(LABEL)) return;
  if (reviewers.length > 0) await forge.requestReviews(request.number, reviewers);
  await forge.label(request.number, [LABEL]);
  const [known = request] = [...book.requests.values()].filter(({ number }) => number === request.number);
  book.take({ ...known, labels: [...known.labels, LABEL] });
}
