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
