/** Side by side or not at all: a figure from this machine means something only against another one of the same minutes. */
export type Contender = () => Promise<number>;

/**
 * Runs the contenders in turn, `rounds` times, after one round that does not count. Each gives its own figure; the
 * median of each, in the order given.
 */
export async function interleave(contenders: readonly Contender[], rounds: number): Promise<number[]> {
  const figures = contenders.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const figure = await contender();
      if (round > 0) figures[index]!.push(figure);
    }
  }
  return figures.map(median);
}

export interface Compared {
  readonly ours: number;
  readonly theirs: number;
  /** Ours over theirs: the median over the pairs, of which both halves had the same weather. */
  readonly ratio: number;
}

/** Runs two contenders in pairs, after one pair that does not count; which goes first changes with each pair. */
export async function compare(ours: Contender, theirs: Contender, pairs: number): Promise<Compared> {
  const figures: (readonly [number, number])[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const first = pair % 2 === 0 ? await ours() : await theirs();
    const second = pair % 2 === 0 ? await theirs() : await ours();
    if (pair > 0) figures.push(pair % 2 === 0 ? [first, second] : [second, first]);
  }
  return {
    ours: median(figures.map(([one]) => one)),
    theirs: median(figures.map(([, other]) => other)),
    ratio: median(figures.map(([one, other]) => one / other)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
