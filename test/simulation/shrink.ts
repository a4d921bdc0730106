import type { Step } from "./steps.ts";

/** Null stands for a quiet round. */
export type Played = Step | null;

const RUNS_MAX = 5_000;
const TIME_MS_MAX = 60_000;

/**
 * A shorter story that still ends badly: first without whole actors and quiet rounds, then without ever smaller parts.
 * Bounded by runs and by time: what it has by then is good enough to read.
 *
 * @param play how many steps it took to fail; null: it does not
 */
export function shrink(steps: readonly Played[], play: (steps: readonly Played[]) => number | null): readonly Played[] {
  const deadlineMs = performance.now() + TIME_MS_MAX;
  let shortest = steps;
  let runs = 0;
  const tryWith = (shorter: readonly Played[]): boolean => {
    runs += 1;
    const isOver = runs > RUNS_MAX || performance.now() > deadlineMs;
    const played = isOver ? null : play(shorter);
    if (played !== null) shortest = shorter.slice(0, played);
    return played !== null;
  };
  for (const actor of new Set(steps.map((step) => step?.actor))) {
    tryWith(shortest.filter((step, at) => step?.actor !== actor || (step === null && at === shortest.length - 1)));
  }
  tryWith(shortest.filter((step) => step?.name !== "idle"));
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < shortest.length; ) if (!tryWith(shortest.toSpliced(at, size))) at += size;
  }
  return shortest;
}
