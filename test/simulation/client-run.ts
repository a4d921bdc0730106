/** What one run of the client works with. */
import type { Ledger } from "./ledger.ts";
import type { Machine } from "./machine.ts";
import type { Planner } from "./planner.ts";
import type { PutRequest, Service } from "./service.ts";

export interface ClientRun {
  readonly machine: Machine;
  readonly service: Service;
  readonly ledger: Ledger;
  readonly planner: Planner;
  /** Of this machine's clock, since the epoch. */
  readonly nowMs: number;
  readonly acceptRemovals: boolean;
  readonly tell: (text: string) => void;
  /** How the next request fares. */
  readonly fate: () => Fate;
  /** Takes a request that will arrive when its sender has long given up. */
  readonly postpone: (request: PutRequest) => void;
}

export type Fate = "fine" | "lost" | "answer_lost" | "late" | "twice";

/** The client gives up for now: its state says how to go on. */
export class NotReached extends Error {}

/** @throws NotReached */
export function ask<T>(run: ClientRun, request: () => T, put?: PutRequest): T {
  run.machine.requests += 1;
  const fate = run.fate();
  if (fate === "late" && put !== undefined) run.postpone(put);
  if (fate === "lost" || fate === "late") throw new NotReached();
  const first = request();
  const answer = fate === "twice" ? request() : first;
  if (fate === "answer_lost") throw new NotReached();
  return answer;
}
