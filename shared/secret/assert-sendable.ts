import { assertProposable } from "../memory/assert-proposable.ts";
import type { MemoryKey } from "../path/sanitize-path-key.ts";
import { assertNoSecrets } from "./assert-no-secrets.ts";

/**
 * All that a text must be to leave a machine, or to be merged: a memory that may be proposed, without secrets. A secret is
 * out once it has left; the service looks again, for people write to its branches. Throws as both do.
 */
export function assertSendable(key: MemoryKey, text: string): void {
  assertProposable(key, text);
  assertNoSecrets(key, text);
}
