/** The built-in review's no: to the whole proposal, or to some of its keys, with the reason that its person is told. */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Proposal } from "../../../shared/protocol/schemas.ts";
import { assertNoSecretFields } from "../../../shared/secret/assert-no-secret-fields.ts";
import type { Attempt } from "../../state/retry-lost-race.ts";
import type { EngineContext } from "../engine-context.ts";
import type { Person } from "../person.ts";
import { closeBranch } from "../proposal/close-branch.ts";
import type { Outcome } from "../proposal/outcome.ts";
import { presentById, presentEnded } from "../proposal/present-by-id.ts";
import type { OpenProposal } from "../proposal/proposal.ts";
import { retractKeys } from "../proposal/retract-keys.ts";
import { toOutcome } from "../world/reconcile.ts";
import { takeOutcomes } from "../world/take-outcomes.ts";
import type { TurnContext } from "../world/turn-context.ts";

export interface Closing {
  readonly project: ProjectName;
  readonly id: string;
  /** Null: all of them. */
  readonly keys: readonly string[] | null;
  readonly reason: string;
  readonly reviewer: Person;
}

/** @throws TeamMemoryError not_found, proposal_finished, bad_request, secret_found, lost_race */
export async function close(context: TurnContext, closing: Closing): Promise<Proposal> {
  assertNoSecretFields({ reason: closing.reason });
  return context.together(`proposal ${closing.id}`, () => tryClose(context, closing));
}

async function tryClose(context: EngineContext, closing: Closing): Promise<Attempt<Proposal>> {
  const { project, id } = closing;
  const open = context.world().open.get(id);
  if (open?.project !== project) return { kind: "done", result: assertClosed(presentEnded(context, project, id)) };
  const said = context.world().outcomes.get(id) ?? null;
  const keys = selectKeys(open, said, closing.keys);
  const outcome = planClosing(context, { open, said, keys, reason: closing.reason });
  context.log.info({ proposal: id, project, reviewer: closing.reviewer.id, state: outcome.state }, "Closed in review");
  const done =
    outcome.state === "closed" ? closeBranch(context, open, outcome) : reject(context, open, { outcome, keys });
  return (await done) ? { kind: "done", result: presentById(context, project, id) } : { kind: "lost" };
}

/** Closed twice, the second time changes nothing. */
function assertClosed(proposal: Proposal): Proposal {
  if (proposal.state !== "merged") return proposal;
  throw new TeamMemoryError("proposal_finished", `Could not close proposal ${proposal.id}: it is merged`);
}

/** Keys that are on the branch; one that was rejected before is no mistake. */
function selectKeys(open: OpenProposal, said: Outcome | null, keys: readonly string[] | null): ReadonlySet<string> {
  const proposed = new Set<string>(open.changes.keys());
  if (keys === null) return proposed;
  const known = new Set([...proposed, ...(said?.changes ?? []).map(({ key }) => key)]);
  const unknown = keys.filter((key) => !known.has(key as never));
  if (unknown.length === 0) return new Set(keys.filter((key) => proposed.has(key)));
  const message = `Could not find in proposal ${open.id}: ${unknown.map(escapeForDisplay).join(", ")}`;
  throw new TeamMemoryError("bad_request", message, { details: { field: "keys", keys: unknown } });
}

interface ClosingFacts {
  readonly open: OpenProposal;
  readonly said: Outcome | null;
  readonly keys: ReadonlySet<string>;
  readonly reason: string;
}

/** Without a key left the whole is closed. */
function planClosing(context: EngineContext, { open, said, keys, reason }: ClosingFacts): Outcome {
  const before = (said?.changes ?? []).filter(({ key }) => !open.changes.has(key));
  const outcome = toOutcome(open, { state: "closed", now: context.clock(), stateOf: () => "rejected" });
  const rejected = outcome.changes.filter(({ key }) => keys.has(key));
  const state = rejected.length === open.changes.size ? "closed" : "open";
  return { ...outcome, state, reason, changes: [...before, ...rejected] };
}

interface Rejection {
  readonly outcome: Outcome;
  readonly keys: ReadonlySet<string>;
}

/** The reason first: it is kept nowhere else. Killed before the branch follows, the next look takes the keys off it. */
async function reject(context: EngineContext, open: OpenProposal, { outcome, keys }: Rejection): Promise<boolean> {
  await context.outcomes.record(outcome);
  await takeOutcomes(context);
  return keys.size === 0 || retractKeys(context, open, keys);
}
