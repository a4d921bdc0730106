import { EXIT } from "../../shared/errors/codes.ts";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Proposal } from "../../shared/protocol/schemas.ts";
import type { Command, CommandOptions } from "../cli.ts";
import type { Io } from "../io.ts";
import type { SyncContext } from "../sync/context.ts";
import { approveProposal, closeProposal, fetchProposal, fetchProposals } from "../sync/push/review-calls.ts";
import { diffLines } from "./diff-lines.ts";
import { findProposal, notFound } from "./find-proposal.ts";
import { openSync } from "./open-sync.ts";
import { parseKey } from "./to-key.ts";
import { toUsageError } from "./to-usage-error.ts";

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
  show: ({ context, id, keys, io }) => {
    if (keys.length > 0) throw toUsageError("review", "review show takes one proposal");
    return show(context, id, io);
  },
  approve: async (act) => {
    const approval = { ...toHead(act.options), keys: await toKeys(act) };
    return decided(await approveProposal(act.context, act.id, approval), act.io);
  },
  close: async (act) => {
    const closing = { reason: toReason(act.options), keys: await toKeys(act) };
    return decided(await closeProposal(act.context, act.id, closing), act.io);
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
  if (!Object.hasOwn(FLAGS, verb)) throw toUsageError("review", `No such review command: ${verb}`);
  const taken = FLAGS[verb as keyof typeof FLAGS];
  const stray = ["reason", "head"].find((flag) => values[flag] !== undefined && !taken.includes(flag));
  if (stray !== undefined) throw toUsageError("review", `review ${verb} takes no --${stray}`);
}

/** A path with `team/` before it is the key without, unless the proposal has it so. */
async function toKeys({ context, id, keys }: Act): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const { changes } = await fetchProposal(context, id);
  return keys.map((said) => parseKey(said, (key) => changes.some((change) => change.key === key)));
}

function explain(error: unknown): never {
  throw isTeamMemoryError(error) && error.code === "not_found" && error.details["usage"] === undefined
    ? notFound(error.message, error)
    : error;
}

async function list(context: SyncContext, io: Io): Promise<number> {
  const proposals = await fetchProposals(context);
  io.result({ proposals }, proposals.length === 0 ? ["No open proposals"] : proposals.map(toLine));
  return EXIT.ok;
}

async function show(context: SyncContext, id: string, io: Io): Promise<number> {
  const proposal = await fetchProposal(context, id);
  io.result({ proposal }, [
    toLine(proposal),
    `head ${proposal.head ?? "none"}; approve just this with --head`,
    ...proposal.conflicts.map((key) => `conflict: the base has changed ${key} since`),
    ...proposal.checks.map(({ key, check, message }) => `${check}: ${message}: ${key}`),
    ...proposal.diff.flatMap(({ key, before, after }) => ["", `=== ${key}`, ...diffLines(before ?? "", after ?? "")]),
  ]);
  return EXIT.ok;
}

function decided(proposal: Proposal, io: Io): number {
  io.result({ proposal }, [toLine(proposal)]);
  return EXIT.ok;
}

function toLine({ id, state, by, changes, url, reason, title }: Proposal): string {
  const kinds = changes.map(
    ({ key, kind, state: keyState }) => `${kind} ${key}${keyState === "proposed" ? "" : ` [${keyState}]`}`,
  );
  const about = [title, reason === null ? "" : `reason: ${reason}`].filter((text) => text !== "");
  return `${id}  ${state}  by ${by}  ${kinds.join(", ")}${about.map((text) => `  ${text}`).join("")}  ${url}`;
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
