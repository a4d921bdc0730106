import { assertProposable } from "../../shared/memory/assert-proposable.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { assertNoSecrets } from "../../shared/secret/assert-no-secrets.ts";

/** What no service is asked: it would refuse the text, and a secret is out once it has left the machine. */
export function assertSendable(key: MemoryKey, text: string): void {
  assertProposable(key, text);
  assertNoSecrets(key, text);
}
