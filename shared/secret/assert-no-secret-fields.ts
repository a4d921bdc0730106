import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { scanForSecrets } from "./scan.ts";

/**
 * For free text that is no memory and is kept in git all the same: a reason, a title, a person's name. Throws
 * `secret_found` with `details` {field, findings}; the value is never told, nor logged.
 */
export function assertNoSecretFields(fields: Readonly<Record<string, string | null | undefined>>): void {
  for (const [field, text] of Object.entries(fields)) {
    const findings = scanForSecrets(text ?? "");
    const [first] = findings;
    if (first === undefined) continue;
    const message = `Could not take the ${field}: it holds a secret (${first.rule}): ${first.masked}`;
    throw new TeamMemoryError("secret_found", message, { details: { field, findings } });
  }
}
