import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { isMemoryKey, type MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { SyncContext } from "../context.ts";
import { listTeam, type TeamListing } from "../folder/list-team.ts";
import type { LocalFact } from "../folder/local-fact.ts";
import { readLocal, toFact } from "../folder/read-local.ts";
import { scanTeam } from "../folder/scan-team.ts";
import { withRenamed } from "../pull/find-renamed.ts";
import { baseOf } from "../pull/gather-facts.ts";
import { NO_MARKS } from "../state/marks.ts";
import type { SentChange } from "../state/outbox.ts";
import { type Pristine, readPristine } from "../state/pristine.ts";
import type { OpenedState } from "../state/state.ts";
import { listRestored } from "./plan-outbox.ts";
import { type PushFacts, type PushStep, planPush } from "./plan-push.ts";
import { buildSet, type KeyProblem, type WantedSet } from "./push-set.ts";
import { withhold } from "./withhold.ts";

/** What a push would send now: the disk is read, the plan is made, nothing is changed. */
export interface PlannedPush {
  readonly steps: readonly PushStep[];
  readonly set: WantedSet;
  /** Removed texts that are brought back on purpose. */
  readonly restore: readonly string[];
  readonly pristine: Pristine;
  readonly facts: readonly PushFacts[];
  readonly listing: TeamListing | null;
}

export interface PlanWishes {
  readonly named: ReadonlySet<MemoryKey>;
  /** Keys that the service will not take: reported as they are, and not sent. */
  readonly problems: readonly KeyProblem[];
  /** How often each was refused in this run. */
  readonly refusals: ReadonlyMap<string, number>;
}

/** @throws TeamMemoryError `state_damaged`; `not_here` for a key of `named` that nothing is known of; PathTraversalError for team/ itself */
export async function planFromDisk(context: SyncContext, state: OpenedState, wishes: PlanWishes): Promise<PlannedPush> {
  const { teamDir, stateFolder } = context;
  const pristine = readPristine(stateFolder, state.head.packs);
  if (pristine === null) throw new TeamMemoryError("state_damaged", `Pristine copies are damaged: ${stateFolder}`);
  const listing = listTeam(teamDir);
  const sent = new Map(state.outbox.open?.changes.map((change) => [change.key, change]));
  const facts = toFacts({ context, state, pristine, listing, wishes, sent });
  const refused = new Set(wishes.problems.map(({ key }) => key));
  const refusals = {
    marks: state.marks,
    proposal: state.outbox.open?.id ?? null,
    counts: wishes.refusals,
    named: wishes.named,
    isSent: (key: string) => sent.has(key),
  };
  const steps = planPush(facts).map((step) => withhold(step, refusals));
  const { assertSendable } = await import("../../../shared/secret/assert-sendable.ts");
  const set = buildSet({
    steps: steps.filter(({ key }) => !refused.has(key)),
    sent,
    read: (key) => readLocal(teamDir, key),
    baseOf: (key) => pristine.get(key) ?? null,
    assertProposable: assertSendable,
  });
  const restore = listRestored(set.changes, state.marks);
  const problems = [...wishes.problems, ...set.problems];
  return { steps, set: { ...set, problems }, restore, pristine, facts, listing };
}

interface FactSources {
  readonly context: SyncContext;
  readonly state: OpenedState;
  readonly pristine: Pristine;
  readonly listing: TeamListing | null;
  readonly wishes: Pick<PlanWishes, "named">;
  /** By key. */
  readonly sent: ReadonlyMap<string, SentChange>;
}

function toFacts({ context, state, pristine, listing, wishes, sent }: FactSources): readonly PushFacts[] {
  const scanned = listing === null ? new Map() : scanTeam(context, listing);
  const keys = new Set([...scanned.keys(), ...sent.keys(), ...state.marks.keys(), ...wishes.named]);
  const facts = [...keys].filter(isMemoryKey).map((key) => {
    const marks = state.marks.get(key) ?? NO_MARKS;
    const local = scanned.get(key) ?? lookAt(context.teamDir, key);
    const isKnown =
      scanned.has(key) || local.kind === "blocked" || pristine.has(key) || sent.has(key) || state.marks.has(key);
    if (!isKnown) throw new TeamMemoryError("not_here", `No memory of this name is here: ${key}`);
    const base = baseOf(key, marks, pristine);
    return { key, base, local, isSent: sent.has(key), marks, isNamed: wishes.named.has(key) };
  });
  return withRenamed(facts, ({ key, base, local }) => ({
    key,
    isDraft: base === null,
    local,
    sent: sent.get(key)?.blob,
  }));
}

/** A link costs its key alone: nothing is written by a plan, and nothing but what was read is sent. */
export function lookAt(teamDir: string, key: MemoryKey): LocalFact {
  try {
    return toFact(readLocal(teamDir, key));
  } catch (error) {
    if (!(error instanceof PathTraversalError)) throw error;
    return { kind: "blocked", because: "not_a_file" };
  }
}
