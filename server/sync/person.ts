/** Who proposes or reviews; the name and address author their commits. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}
