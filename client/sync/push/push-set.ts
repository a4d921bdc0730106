import type { ErrorCode } from "../../../shared/errors/codes.ts";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { LocalText } from "../folder/read-local.ts";
import { withoutKey } from "../shown-key.ts";
import type { SentChange } from "../state/outbox.ts";
import type { Hold, PushStep } from "./plan-push.ts";

/** The whole wanted set, and what of this machine's changes is not in it. */
export interface WantedSet {
  readonly changes: readonly SentChange[];
  readonly held: readonly HeldKey[];
  readonly problems: readonly KeyProblem[];
}

export interface HeldKey {
  readonly key: string;
  readonly because: Hold | "no_room";
}

/** Why one file cannot be proposed as it is. */
export interface KeyProblem {
  readonly key: string;
  readonly code: ErrorCode;
  readonly message: string;
}

export interface SetSources {
  readonly steps: readonly PushStep[];
  readonly sent: ReadonlyMap<string, SentChange>;
  /** What lies there now. */
  readonly read: (key: MemoryKey) => LocalText;
  /** The served copy that edits start from. */
  readonly baseOf: (key: MemoryKey) => { readonly blob: string; readonly canonicalBlob: string } | null;
  /** @throws TeamMemoryError where the text may not be proposed */
  readonly assertProposable: (key: MemoryKey, text: string) => unknown;
}

/** Within the bounds of one proposal: what has no room waits for the next. */
export function buildSet({ steps, ...sources }: SetSources): WantedSet {
  const ordered = inOrder(steps);
  const found = ordered.filter(isWanting).flatMap((step) => toChange(step, sources) ?? []);
  const problems = found.filter(isProblem);
  const { fitting, others } = takeWhatFits(found.filter((change): change is SentChange => !isProblem(change)));
  const held = ordered.flatMap((step): HeldKey[] => (step.kind === "hold" ? [step] : []));
  return {
    changes: fitting,
    problems,
    held: [...held, ...others.map(({ key }) => ({ key, because: "no_room" }) as const)],
  };
}

function isWanting(step: PushStep): step is Wanting {
  return step.kind === "send" || step.kind === "resend";
}

function isProblem(found: SentChange | KeyProblem): found is KeyProblem {
  return "code" in found;
}

function takeWhatFits(changes: readonly SentChange[]): { fitting: SentChange[]; others: SentChange[] } {
  const fitting: SentChange[] = [];
  const others: SentChange[] = [];
  let sizeBytes = 0;
  for (const change of changes) {
    const next = sizeBytes + Buffer.byteLength(change.text ?? "");
    const isFitting = fitting.length < LIMITS.changesPerProposalMax && next <= LIMITS.proposalSizeBytesMax;
    (isFitting ? fitting : others).push(change);
    if (isFitting) sizeBytes = next;
  }
  return { fitting, others };
}

/** What was sent before keeps its room; then by key, so that the same state gives the same set. */
function inOrder(steps: readonly PushStep[]): PushStep[] {
  const rank = ({ kind }: PushStep) => Number(kind !== "resend");
  return [...steps].sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1));
}

type Sources = Omit<SetSources, "steps">;
type Wanting = Extract<PushStep, { kind: "send" | "resend" }>;

/** Null: it changed since the plan was made, and the next run sees to it. */
function toChange(step: Wanting, { sent, read, baseOf, assertProposable }: Sources): SentChange | KeyProblem | null {
  const { key } = step;
  if (step.kind === "resend") return sent.get(key) ?? null;
  const served = baseOf(key);
  const from = { key, baseBlob: served?.blob ?? null, base: served?.canonicalBlob ?? null };
  if (step.blob === null) return { ...from, text: null, blob: null };
  const local = read(key);
  if (local.kind !== "file" || local.blob !== step.blob) return null;
  if (local.text === null) return { key, code: "invalid_memory", message: "The file is no UTF-8 text" };
  try {
    assertProposable(key, local.text);
    return { ...from, text: local.text, blob: local.blob };
  } catch (error) {
    if (!isTeamMemoryError(error)) throw error;
    return { key, code: error.code, message: withoutKey(error.message, key) };
  }
}
