import { EXIT } from "../../shared/errors/codes.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import { scanForSecrets } from "../../shared/secret/scan.ts";
import type { Command } from "../command.ts";
import { type SyncContext, toWhere } from "../sync/context.ts";
import { readUnblocked } from "../sync/folder/blocked-key.ts";
import { readChecked } from "../sync/pull/copies.ts";
import { type PlannedPush, planFromDisk } from "../sync/push/plan-from-disk.ts";
import { toShownKey } from "../sync/shown-key.ts";
import { readAttic } from "../sync/state/attic.ts";
import type { OpenedState } from "../sync/state/state.ts";
import { readState } from "../sync/state/state.ts";
import { diffLines } from "./diff-lines.ts";
import { openSync } from "./open-sync.ts";
import { toKey } from "./to-key.ts";

/** What is changed here against what the team has; of a conflict, mine as it was parked. No text with a secret is shown. */
export const diff: Command = async (options, io) => {
  const context = openSync(options);
  const [asked] = options.positionals.map((said) => toKey(context, said));
  const state = readState(context.stateFolder, toWhere(context));
  const named = new Set(asked === undefined ? [] : [asked]);
  const planned = await planFromDisk(context, state, { named, problems: [], refusals: new Map() });
  const keys = asked === undefined ? listChanged(planned) : [asked];
  const diffs = keys
    .map((key) => toDiff({ context, state, planned }, key))
    .filter(({ before, after }) => before !== after)
    .map(withoutSecret);
  io.result({ diffs }, diffs.length === 0 ? ["No difference"] : diffs.flatMap(toLines));
  return EXIT.ok;
};

interface KeyDiff {
  readonly key: string;
  /** Null: the memory is not there. */
  readonly before: string | null;
  readonly after: string | null;
  /** Why neither text is told: a secret is in one of them, and it may go on for more lines than the one where it begins. */
  readonly withheld: string | null;
}

function withoutSecret(diff: KeyDiff): KeyDiff {
  const [secret] = [diff.after, diff.before].flatMap((text) => scanForSecrets(text ?? ""));
  if (secret === undefined) return diff;
  const { line, masked, rule } = secret;
  return { key: diff.key, before: null, after: null, withheld: `a secret is in it, line ${line}: ${masked} (${rule})` };
}

/** A file that is merely missing is restored by the next pull: no change of anyone's. */
function listChanged({ facts }: PlannedPush): MemoryKey[] {
  const changed = facts.filter(({ local, base, marks }) => {
    const isEdited = local.kind === "file" && local.blob !== base;
    return isEdited || marks.conflict !== undefined || (marks.removal !== undefined && base !== null);
  });
  return changed.map(({ key }) => key).sort();
}

interface Sources {
  readonly context: SyncContext;
  readonly state: OpenedState;
  readonly planned: PlannedPush;
}

function toDiff({ context, state, planned }: Sources, key: MemoryKey): KeyDiff {
  const copy = planned.pristine.get(key);
  const before = copy === undefined ? null : readChecked(context.stateFolder, copy);
  const parked = state.marks.get(key)?.conflict?.attic;
  const mine = parked === undefined ? null : readAttic(context.stateFolder, parked);
  if (mine !== null) return { key, before, after: mine.toString("utf8"), withheld: null };
  const local = readUnblocked(context.teamDir, key);
  return { key, before, after: local.kind === "file" ? (local.text ?? NO_TEXT) : null, withheld: null };
}

/** In the place of a file's lines, where it has none. */
const NO_TEXT = "(no UTF-8 text)\n";

function toLines({ key, before, after, withheld }: KeyDiff): string[] {
  if (withheld !== null) return [`Not shown, ${withheld}: ${toShownKey(key)}`];
  const head = [
    `--- ${before === null ? "/dev/null" : `team/${key}`}`,
    `+++ ${after === null ? "/dev/null" : `here/${key}`}`,
  ];
  return [...head, ...diffLines(before ?? "", after ?? "")];
}
