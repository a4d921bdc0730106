export interface CommonEnds {
  /** How many items both begin with alike. */
  readonly start: number;
  /** How many both end with alike, without those of the start. */
  readonly end: number;
}

/** What comparing two lists need not look at. */
export function findCommonEnds(one: readonly string[], other: readonly string[]): CommonEnds {
  const shortest = Math.min(one.length, other.length);
  const start = countAlike(shortest, (at) => one[at] === other[at]);
  const end = countAlike(shortest - start, (at) => one.at(-1 - at) === other.at(-1 - at));
  return { start, end };
}

function countAlike(max: number, isAlike: (at: number) => boolean): number {
  for (let at = 0; at < max; at += 1) if (!isAlike(at)) return at;
  return max;
}
