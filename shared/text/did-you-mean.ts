/**
 * ` Did you mean status?`, where one of the known words is a slip or two away from what was said; else nothing. Pure, and
 * bounded by the known words: one that differs more in length is not compared.
 */
export function didYouMean(said: string, known: readonly string[]): string {
  const near = known
    .filter((word) => Math.abs(word.length - said.length) <= SLIPS_MAX)
    .map((word) => ({ word, slips: countSlips(said, word) }))
    .filter(({ word, slips }) => slips <= SLIPS_MAX && slips * 2 < word.length);
  const [best] = near.sort((a, b) => a.slips - b.slips);
  return best === undefined ? "" : ` Did you mean ${best.word}?`;
}

const SLIPS_MAX = 2;

/** Letters added, left out, changed, or swapped with their neighbour. */
function countSlips(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = at(last, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, change, swap));
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
