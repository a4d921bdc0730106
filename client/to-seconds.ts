/** A wait, as a person reads it: `1.5 s`; what was over before it began took no time. */
export function toSeconds(ms: number): string {
  return `${Math.round(Math.max(0, ms) / 100) / 10} s`;
}
