import { LIMITS } from "../../shared/limits.ts";
import type { ProposalOutcome } from "../../shared/protocol/schemas.ts";

/**
 * Outcomes as a header: JSON in ASCII, for a header holds no other letters. Clients bound the headers they read, so an
 * outcome that no longer fits is left out, and the client asks for that proposal by its id.
 */
export function toOutcomesHeader(outcomes: Readonly<Record<string, ProposalOutcome>>): string {
  const parts: string[] = [];
  let length = 2;
  for (const [id, outcome] of Object.entries(outcomes)) {
    const part = toAscii(`${JSON.stringify(id)}:${JSON.stringify(outcome)}`);
    if (length + part.length + 1 > LIMITS.outcomesHeaderSizeBytesMax) continue;
    parts.push(part);
    length += part.length + 1;
  }
  return `{${parts.join(",")}}`;
}

function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
