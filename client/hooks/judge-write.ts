import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { assertProposable } from "../../shared/memory/assert-proposable.ts";
import { escapeForDisplay } from "../../shared/path/escape-for-display.ts";
import { findKeyCollisions } from "../../shared/path/key-set.ts";
import { isIndexName } from "../../shared/path/reserved-names.ts";
import { type MemoryKey, sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import { validateTeamMemoryPathSync } from "../../shared/path/team-path.ts";
import { assertNoSecrets } from "../../shared/secret/assert-no-secrets.ts";
import { listTeam } from "../sync/folder/list-team.ts";
import { readLocal } from "../sync/folder/read-local.ts";
import type { JsonObject } from "../sync/json-shape.ts";
import { describeRefusal } from "./describe-refusal.ts";
import { toResultingText } from "./resulting-text.ts";

export interface JudgedWrite {
  readonly teamDir: string;
  /** Below `team/`, as it would be written. */
  readonly key: string;
  /** The host's tool, and what it was called with. */
  readonly tool: string;
  readonly input: JsonObject;
}

/** Why a file may not be written into `team/`, in words that an agent can act on; null: it may. */
export function judgeWrite({ teamDir, key, tool, input }: JudgedWrite): string | null {
  if (isIndexName(key)) return INDEX;
  const memoryDir = dirname(teamDir);
  try {
    // First of all, for every other refusal names the key.
    assertNoSecrets(key, "");
    const memoryKey = assertPlace(teamDir, key);
    const twin = findTwin(teamDir, memoryKey);
    if (twin !== null) return describeTwin(memoryKey, twin);
    const result = toResultingText(tool, input, () => readText(teamDir, memoryKey));
    if (result.kind !== "unknown") assertNoSecrets(memoryKey, result.text);
    if (result.kind === "whole") assertProposable(memoryKey, result.text);
    return null;
  } catch (error) {
    if (isTeamMemoryError(error)) return describeRefusal(error, { memoryDir, teamDir });
    throw error;
  }
}

const INDEX =
  "Not written: MEMORY.md in team/ is the generated index, made anew with each pull. The memory's own file is all there " +
  "is to write; in team/ the second step, a line in MEMORY.md, is left out.";

/** Before the first pull there is no folder to look at. @throws PathTraversalError */
function assertPlace(teamDir: string, key: string): MemoryKey {
  if (lstatSync(teamDir, { throwIfNoEntry: false }) === undefined) return sanitizePathKey(key);
  return validateTeamMemoryPathSync(teamDir, key).key;
}

/** A memory that cannot lie beside this one on every disk; the proposal would be refused. */
function findTwin(teamDir: string, key: MemoryKey): string | null {
  const others = [...(listOrSkip(teamDir) ?? [])].filter((other) => other !== key);
  return findKeyCollisions([...others, key]).find((collision) => collision.key === key)?.other ?? null;
}

function listOrSkip(teamDir: string): ReadonlySet<MemoryKey> | null {
  try {
    return listTeam(teamDir)?.files ?? null;
  } catch {
    return null;
  }
}

function describeTwin(key: MemoryKey, twin: string): string {
  const [mine, other] = [key, twin].map(escapeForDisplay);
  return `Not written: ${mine} and ${other} are one name on some disks. Edit ${other}, or choose a name of its own.`;
}

/** As it lies there: in the canonical text an `old_string` might not be found. */
function readText(teamDir: string, key: MemoryKey): string | null {
  const local = readLocal(teamDir, key);
  return local.kind === "file" && local.text !== null ? new TextDecoder().decode(local.bytes) : null;
}
