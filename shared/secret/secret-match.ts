/** A secret in a text: offsets of the whole match, the end excluded. */
export interface SecretMatch {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  /** What may be shown of it: the public part that its issuer puts first, and stars. */
  readonly masked: string;
}

export function toMasked(publicPrefix: string): string {
  return `${publicPrefix}***`;
}
