/** A token that its issuer gave a shape of its own: what stands in the text says whose it is. */
export interface TokenRule {
  /** Named in findings: issuer, then kind. */
  readonly rule: string;
  /** Literal, public parts of the token, two characters or more: where one stands, the rule looks. */
  readonly anchors: readonly string[];
  /** Source of what follows the anchor; each repetition in it is bounded. */
  readonly body: string;
  /** Source of what precedes the anchor within the token. */
  readonly before?: string;
  /** The shape may occur inside longer words: no letter or digit stands on either side; of open-ended ones, at the start. */
  readonly whole?: true | "start";
  /** Words in code have the shape too: what fits must also look random. */
  readonly random?: true;
  /** Whether the checksum within the token holds: then it was issued, whatever it looks like. */
  readonly isIssued?: (token: string) => boolean;
}

export const letters = (count: number | string) => `[A-Za-z0-9]{${count}}`;
export const word = (count: number | string) => `[A-Za-z0-9_-]{${count}}`;
export const base64 = (count: number | string) => `[A-Za-z0-9+/]{${count}}`;
export const hex = (count: number | string) => `[A-Fa-f0-9]{${count}}`;
export const upper = (count: number | string) => `[A-Z0-9]{${count}}`;
export const UUID = [8, 4, 4, 4, 12].map(hex).join("-");
