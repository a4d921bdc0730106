import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { escapeForDisplay } from "../path/escape-for-display.ts";
import { type SecretFinding, scanForSecrets } from "./scan.ts";

/** The line of a finding that is in the key itself. */
const KEY_LINE = 0;

/**
 * Throws `secret_found` where the key or the whole text of a memory, frontmatter included, holds a secret. `details` is
 * {key, findings}: each finding {rule, line, masked}, its line 1-based in the text, or 0 for the key; a key that holds one
 * is shown as its masked prefix alone.
 */
export function assertNoSecrets(key: string, text: string): void {
  const inKey = scanForSecrets(key).map((finding) => ({ ...finding, line: KEY_LINE }));
  const findings = [...inKey, ...scanForSecrets(text)];
  const [first] = findings;
  if (first === undefined) return;
  const shownKey = inKey[0] === undefined ? escapeForDisplay(key) : inKey[0].masked;
  throw new TeamMemoryError("secret_found", `Cannot propose ${shownKey}: ${describe(first, findings.length)}`, {
    details: { key: shownKey, findings },
  });
}

function describe({ rule, line, masked }: SecretFinding, count: number): string {
  const place = line === KEY_LINE ? "its name" : `line ${line}`;
  const more = count > 1 ? `, and ${count - 1} more` : "";
  return `${place} holds a secret (${rule}): ${masked}${more}`;
}
