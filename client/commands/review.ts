import { type ErrorCode, EXIT } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Proposal } from "../../shared/protocol/schemas.ts";
import type { Command, CommandOptions } from "../command.ts";
import type { Io } from "../io.ts";
import type { SyncContext } from "../sync/context.ts";
import { approveProposal, closeProposal, fetchProposal, fetchProposals } from "../sync/push/review-calls.ts";
import { findProposal } from "./find-proposal.ts";
import { openSync } from "./open-sync.ts";
import { isReasonKept, toApprovedLines, toClosedLines, toDetailLines, toProposalLine } from "./say-review.ts";
import { parseKey } from "./to-key.ts";
import { toUnknownVerb, toUsageError } from "./to-usage-error.ts";

/** The built-in review from a terminal: list, show, approve, close. */
export const review: Command = async (options, io) => {
  const [verb = "list", said, ...others] = options.positionals;
  const context = openSync(options);
  assertVerb(verb, options);
  if (verb === "list" && said === undefined) return list(context, io);
  if (verb === "list")
    throw toUsageError("review", `Too many arguments for review list: ${options.positionals.length}`);
  if (said === undefined) throw toUsageError("review", `Say which proposal: review ${verb} ID`);
  const act = ACTS[verb];
  return findProposal(context, said)
    .then((id) => act({ context, options, id, keys: others, io }))
    .catch(explain);
};

interface Act {
  readonly context: SyncContext;
  readonly options: CommandOptions;
  readonly id: string;
  /** As they were said. */
  readonly keys: readonly string[];
  readonly io: Io;
}

const ACTS: Readonly<Record<"show" | "approve" | "close", (act: Act) => Promise<number>>> = {
  show: async ({ context, id, keys, io }) => {
    if (keys.length > 0) throw toUsageError("review", "review show takes one proposal");
    const proposal = await fetchProposal(context, id);
    io.result({ proposal }, toDetailLines(proposal));
    return EXIT.ok;
  },
  approve: async ({ context, options, id, keys, io }) => {
    const before = await fetchProposal(context, id);
    const proposal = await approveProposal(context, id, { ...toHead(options), keys: toKeys(before, keys) });
    io.result({ proposal }, toApprovedLines(before, proposal));
    return EXIT.ok;
  },
  close: async ({ context, options, id, keys, io }) => {
    const reason = toReason(options);
    const before = await fetchProposal(context, id);
    const proposal = await closeProposal(context, id, { reason, keys: toKeys(before, keys) });
    io.result({ proposal }, toClosedLines(before, proposal, reason));
    return isReasonKept(proposal, reason) ? EXIT.ok : EXIT.attention;
  },
};

/** Which flags are for which verb: one that would do nothing is no silent one. */
const FLAGS: Readonly<Record<"list" | keyof typeof ACTS, readonly string[]>> = {
  list: [],
  show: [],
  approve: ["head"],
  close: ["reason"],
};

function assertVerb(verb: string, { values }: CommandOptions): asserts verb is keyof typeof FLAGS {
  if (!Object.hasOwn(FLAGS, verb)) throw toUnknownVerb("review", verb, Object.keys(FLAGS));
  const taken = FLAGS[verb as keyof typeof FLAGS];
  const stray = ["reason", "head"].find((flag) => values[flag] !== undefined && !taken.includes(flag));
  if (stray !== undefined) throw toUsageError("review", `review ${verb} takes no --${stray}`);
}

/** A path with `team/` before it is the key without, unless the proposal has it so. */
function toKeys({ changes }: Proposal, keys: readonly string[]): readonly string[] {
  return keys.map((said) => parseKey(said, (key) => changes.some((change) => change.key === key)));
}

/** What helps a reviewer, where the remedy of the code is for somebody else. */
const REMEDIES: Partial<Readonly<Record<ErrorCode, string>>> = {
  not_found: "The open ones: team-memory review list",
  proposal_finished: "Nothing is left to decide in it; the open ones: team-memory review list",
  bad_request: "What it proposes: team-memory review show ID",
  unprocessable_proposal:
    "Approve the others by their keys, or close it with the reason for its author: team-memory review --help",
};

function explain(error: unknown): never {
  const usage = isTeamMemoryError(error) ? REMEDIES[error.code] : undefined;
  if (!isTeamMemoryError(error) || usage === undefined || error.details["usage"] !== undefined) throw error;
  throw new TeamMemoryError(error.code, error.message, { details: { ...error.details, usage }, cause: error });
}

async function list(context: SyncContext, io: Io): Promise<number> {
  const proposals = await fetchProposals(context);
  io.result({ proposals }, proposals.length === 0 ? ["No open proposals"] : proposals.map(toProposalLine));
  return EXIT.ok;
}

function toHead({ values }: CommandOptions): { head?: string } {
  return typeof values["head"] === "string" ? { head: values["head"] } : {};
}

/** The author reads it in their status. */
function toReason({ values }: CommandOptions): string {
  const { reason } = values;
  if (typeof reason === "string" && reason !== "" && reason.length <= LIMITS.reasonLengthMax) return reason;
  throw toUsageError("review", `Say why: --reason TEXT, of ${LIMITS.reasonLengthMax} characters at most`);
}
