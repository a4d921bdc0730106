import type { EngineContext } from "../engine-context.ts";
import { commitToBranch, toWords } from "./commit-proposal.ts";
import { planBranch } from "./plan-branch.ts";
import type { OpenProposal } from "./proposal.ts";
import { findOverrides } from "./sent.ts";

/** Takes these keys off the branch. False: the branch has moved. */
export async function retractKeys(
  context: EngineContext,
  open: OpenProposal,
  keys: ReadonlySet<string>,
): Promise<boolean> {
  const net = without(open.changes, keys);
  const steps = planBranch(open, net, new Set());
  // The set stays the one that the client sent: sent once more, it changes nothing.
  const sent = findOverrides(without(open.sent, keys), net);
  const { trailers, ...words } = toWords(open, net);
  const retracted = await commitToBranch(context, { open, steps, ...words, trailers: { ...trailers, sent } });
  return retracted !== null;
}

function without<K extends string, T>(map: ReadonlyMap<K, T>, keys: ReadonlySet<string>): ReadonlyMap<K, T> {
  return new Map([...map].filter(([key]) => !keys.has(key)));
}
