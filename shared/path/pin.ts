/** Which directory on which disk: a path may come to mean another one, this pair may not while that one exists. */
export interface Pin {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function isSamePin(a: Pin, b: Pin): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
