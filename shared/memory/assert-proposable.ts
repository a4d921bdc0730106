import type { ErrorCode } from "../errors/codes.ts";
import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { LIMITS } from "../limits.ts";
import type { MemoryKey } from "../path/sanitize-path-key.ts";
import { type InspectedMemory, inspectMemory, type ParsedMemory } from "./parse-memory.ts";
import type { MemoryProblem } from "./parse-yaml-fields.ts";
import { toCanonical } from "./to-canonical.ts";

/**
 * Strict: what a team is asked to review is valid YAML with a name, a description and a type, one visible line each.
 * Throws `private_memory` for type `user`, else `too_large`, else `invalid_memory`. `details` is {key, field, line} of
 * the first problem with that code, and `problems` with every one: {field, line, message}.
 */
export function assertProposable(key: MemoryKey, text: string): ParsedMemory {
  const inspected = inspectMemory(text);
  const found = findProblems(inspected, text);
  const [gravest] = found;
  if (gravest === undefined) return inspected.memory;
  throw refusal(
    key,
    gravest,
    found.flatMap(([, ofCode]) => ofCode),
  );
}

/** The same as a question: what stands in the way of proposing `text`, the gravest first; null: nothing. */
export function findProposalProblem(text: string): MemoryProblem | null {
  return findProblems(inspectMemory(text), text)[0]?.[1][0] ?? null;
}

/** Every such thing, in the order of gravity, of a text that was inspected already. */
export function listProposalProblems(inspected: InspectedMemory, text: string): readonly MemoryProblem[] {
  return findProblems(inspected, text).flatMap(([, ofCode]) => ofCode);
}

/** Gravest code first; codes without problems are left out. */
function findProblems(inspected: InspectedMemory, text: string): readonly [ErrorCode, readonly MemoryProblem[]][] {
  const found: readonly [ErrorCode, readonly MemoryProblem[]][] = [
    ["private_memory", privateProblems(inspected)],
    ["too_large", sizeProblems(text)],
    ["invalid_memory", [...inspected.problems, ...textProblems(text), ...sessionProblems(inspected, text)]],
  ];
  return found.filter(([, ofCode]) => ofCode.length > 0);
}

function privateProblems({ memory, lines }: InspectedMemory): readonly MemoryProblem[] {
  if (memory.type !== "user") return [];
  const line = lines.get("type") ?? lines.get("metadata.type") ?? lines.get("metadata") ?? 1;
  return [{ field: "type", line, message: "is user: such memories stay on the machine of their person" }];
}

function sizeProblems(text: string): readonly MemoryProblem[] {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes <= LIMITS.memorySizeBytesMax) return [];
  const message = `is ${sizeBytes} bytes; a memory holds ${LIMITS.memorySizeBytesMax} at most`;
  return [{ field: "text", line: 1, message }];
}

/** What no UTF-8 file holds, or what makes git and its tools take the file for a binary one. */
function textProblems(text: string): readonly MemoryProblem[] {
  const at = text.search(/\0|\p{Cs}/u);
  if (at === -1) return [];
  const line = text.slice(0, at).split(/\r\n?|\n/).length;
  return [{ field: "text", line, message: "has a NUL character or half of a surrogate pair" }];
}

/** `originSessionId` in a form that dropping it line by line does not know: behind an anchor, in an escaped key. */
function sessionProblems({ memory, lines }: InspectedMemory, text: string): readonly MemoryProblem[] {
  if (!namesSession(memory) || !namesSession(inspectMemory(toCanonical(text)).memory)) return [];
  const line = lines.get("originSessionId") ?? lines.get("metadata.originSessionId") ?? 1;
  return [{ field: "originSessionId", line, message: "names a session of one machine; remove it" }];
}

function namesSession({ frontmatter }: ParsedMemory): boolean {
  const metadata = frontmatter.get("metadata");
  return frontmatter.has("originSessionId") || (metadata instanceof Map && metadata.has("originSessionId"));
}

function refusal(
  key: MemoryKey,
  [code, [first]]: readonly [ErrorCode, readonly MemoryProblem[]],
  problems: readonly MemoryProblem[],
): TeamMemoryError {
  const { field = "text", line = 1, message = "" } = first ?? {};
  return new TeamMemoryError(code, `Cannot propose ${key}: line ${line}: ${field} ${message}`, {
    details: { key, field, line, problems },
  });
}
