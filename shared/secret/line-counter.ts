import type { Reading } from "./readings.ts";

/** Tells the 1-based line of an offset in a reading; the line ends are gathered when the first is asked for. */
export class LineCounter {
  readonly #reading: Reading;
  #ends: readonly number[] | null = null;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** In the text as it was written: line ends that the reading left out count. */
  lineAt(offset: number): number {
    this.#ends ??= lineEndsOf(this.#reading);
    let [low, high] = [0, this.#ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/** Offsets at which a new line begins, ascending. */
function lineEndsOf({ text, joins }: Reading): readonly number[] {
  const ends = [...joins];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at + 1);
  return ends.sort((a, b) => a - b);
}
