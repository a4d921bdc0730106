/** How old a file is, in milliseconds. A time in the future is of a clock that has been set back since: as far away is as old. */
export function toAgeMs({ mtimeMs }: { readonly mtimeMs: number }): number {
  return Math.abs(Date.now() - mtimeMs);
}
