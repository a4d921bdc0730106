/** One thing in three states: as both sides knew it, and as each has it now. */
export interface Sides<T> {
  readonly base: T;
  readonly mine: T;
  readonly theirs: T;
}

export function mapSides<T, U>({ base, mine, theirs }: Sides<T>, map: (side: T) => U): Sides<U> {
  return { base: map(base), mine: map(mine), theirs: map(theirs) };
}

/**
 * The rule of every three-way merge: what one side changed, or both alike. Null: each changed it into something else.
 * `textOf` says what is compared; of two that compare equal, mine is returned.
 */
export function pickChanged<T>({ base, mine, theirs }: Sides<T>, textOf: (side: T) => unknown = toItself): T | null {
  const was = textOf(base);
  const ours = textOf(mine);
  const others = textOf(theirs);
  if (ours === others || others === was) return mine;
  return ours === was ? theirs : null;
}

function toItself(side: unknown): unknown {
  return side;
}
