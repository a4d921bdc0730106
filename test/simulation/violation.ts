/** What must never happen, and did. */
export class Violation extends Error {}
