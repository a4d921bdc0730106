/** A wait, as a person reads it: `1.5 s`. */
export function toSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
