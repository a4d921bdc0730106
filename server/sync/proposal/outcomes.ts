/**
 * What git cannot tell afterwards: why a proposal or some of its keys were turned down, what was withdrawn, and what
 * somebody squashed by hand. One small state file; merges that git does tell are not in it.
 */
import { LIMITS } from "../../../shared/limits.ts";
import type { StateFiles } from "../../state/state-files.ts";
import type { Outcome } from "./outcome.ts";
import { OUTCOMES_FILE } from "./outcomes-file.ts";

export type Outcomes = ReadonlyMap<string, Outcome>;

/** The same map as long as nobody has written. */
export function openOutcomes(state: StateFiles): OutcomesStore {
  let last: { readonly list: readonly Outcome[]; readonly byId: Outcomes } = { list: [], byId: new Map() };
  const change = (edit: (list: readonly Outcome[]) => readonly Outcome[]) =>
    state.update(OUTCOMES_FILE, (value) => ({
      value: { ...value, outcomes: edit(value.outcomes) },
      result: undefined,
    }));
  return {
    read: async () => {
      const { outcomes: list } = await state.read(OUTCOMES_FILE);
      if (list !== last.list) last = { list, byId: new Map(list.map((outcome) => [outcome.id, outcome])) };
      return last.byId;
    },
    record: (outcome) => change((list) => keepNewest([...list.filter(({ id }) => id !== outcome.id), outcome])),
    forget: (id) => change((list) => list.filter((outcome) => outcome.id !== id)),
  };
}

export interface OutcomesStore {
  read(): Promise<Outcomes>;
  record(outcome: Outcome): Promise<void>;
  forget(id: string): Promise<void>;
}

/** Within both bounds; the newest one stays whatever it weighs. */
export function keepNewest(list: readonly Outcome[]): readonly Outcome[] {
  let sizeBytes = 0;
  const kept: Outcome[] = [];
  for (const outcome of list.toReversed()) {
    sizeBytes += Buffer.byteLength(JSON.stringify(outcome));
    if (kept.length > 0 && (kept.length >= LIMITS.outcomesMax || sizeBytes > LIMITS.outcomesSizeBytesMax)) break;
    kept.push(outcome);
  }
  return kept.reverse();
}
