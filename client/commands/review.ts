import { EXIT } from "../../shared/errors/codes.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { Proposal } from "../../shared/protocol/schemas.ts";
import type { Command, CommandOptions } from "../cli.ts";
import type { Io } from "../io.ts";
import type { SyncContext } from "../sync/context.ts";
import { approveProposal, closeProposal, fetchProposal, fetchProposals } from "../sync/review-calls.ts";
import { diffLines } from "./diff-lines.ts";
import { openSync } from "./open-sync.ts";
import { toUsageError } from "./to-usage-error.ts";

/** The built-in review from a terminal: list, show, approve, close. */
export const review: Command = async (options, io) => {
  const [verb = "list", id, ...keys] = options.positionals;
  const context = openSync(options);
  if (verb === "list" && id === undefined) return list(context, io);
  if (id === undefined) throw toUsageError("review", `Say which proposal: review ${verb} ID`);
  if (verb === "show") return show(context, id, io);
  if (verb === "approve") return decided(await approveProposal(context, id, { ...toHead(options), keys }), io);
  if (verb === "close") return decided(await closeProposal(context, id, { reason: toReason(options), keys }), io);
  throw toUsageError("review", `No such review command: ${verb}`);
};

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
