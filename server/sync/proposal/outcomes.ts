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
  const change = writeTogether((edit) =>
    state.update(OUTCOMES_FILE, (value) => ({
      value: { ...value, outcomes: edit(value.outcomes) },
      result: undefined,
    })),
  );
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

type Edit = (list: readonly Outcome[]) => readonly Outcome[];

/** A write is a push: those that come while one is on its way go together in the next. */
function writeTogether(write: (edit: Edit) => Promise<void>): (edit: Edit) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: { readonly edits: Edit[]; readonly written: Promise<void> } | null = null;
  const begin = () => {
    const edits: Edit[] = [];
    const written = last.then(() => {
      next = null;
      return write((list) => edits.reduce((edited, edit) => edit(edited), list));
    });
    last = written.catch(() => undefined);
    next = { edits, written };
    return next;
  };
  return (edit) => {
    const { edits, written } = next ?? begin();
    edits.push(edit);
    return written;
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
