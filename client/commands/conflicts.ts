import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { decodeMemory } from "../../shared/memory/to-canonical.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command, CommandOptions } from "../command.ts";
import { countOf } from "../count-of.ts";
import type { Io } from "../io.ts";
import { readSmallFileBytes } from "../memory/read-small-file.ts";
import { toShellWord } from "../shell-word.ts";
import type { SyncContext } from "../sync/context.ts";
import {
  type Conflict,
  type Resolution,
  readConflict,
  readConflicts,
  resolveConflict,
} from "../sync/wish/conflicts.ts";
import { fromEditBuffer, toEditBuffer } from "./edit-buffer.ts";
import { openSync } from "./open-sync.ts";
import { toCopiesCommand, toProposeLine, toUnderReviewLines } from "./say-next.ts";
import { toKey } from "./to-key.ts";
import { toUnknownVerb, toUsageError } from "./to-usage-error.ts";
import { withEdited } from "./with-edited.ts";
import { withPlace } from "./with-place.ts";

/** Memories that were changed here and by the team, in ways that do not merge: list them, look at one, decide. */
export const conflicts: Command = async (options, io) => {
  const [verb = "list", key, ...others] = options.positionals;
  if (others.length > 0) throw toUsageError("conflicts", `Too many arguments: ${others.join(" ")}`);
  if (verb === "list" && key === undefined) return list(openSync(options), io);
  if (verb !== "show" && verb !== "resolve") throw toUnknownVerb("conflicts", verb, ["list", "show", "resolve"]);
  if (key === undefined) throw toUsageError("conflicts", `Say which memory: conflicts ${verb} KEY`);
  const context = openSync(options);
  if (verb === "show") return show(context, io, toKey(context, key));
  return resolve({ context, options, io, key: toKey(context, key) });
};

function list(context: SyncContext, io: Io): number {
  const found = readConflicts(context);
  const data = found.map(({ key, theirs, parked }) => ({ key, isRemovedByTeam: theirs === null, parked }));
  io.result({ conflicts: data }, found.length === 0 ? ["No conflicts"] : [...found.map(toLine), HOW]);
  return found.length === 0 ? EXIT.ok : EXIT.attention;
}

const HOW =
  "Look at one: team-memory conflicts show KEY; decide: team-memory conflicts resolve KEY --help; or edit the file and send it, which decides, too: team-memory push KEY";

function toLine({ key, theirs, parked }: Conflict): string {
  const about = [
    ...(theirs === null ? ["the team has removed it since"] : []),
    ...(parked.length > 1 ? [`${countOf(parked.length, "text")} of yours wait`] : []),
  ];
  return about.length === 0 ? key : `${key} (${about.join("; ")})`;
}

function show(context: SyncContext, io: Io, key: MemoryKey): number {
  const conflict = readConflict(context, key);
  const { base, mine, theirs, parked } = conflict;
  io.result({ conflict }, [
    ...toSection("what both started from", base ?? "(nothing, or not known any more)"),
    ...toSection("mine", mine ?? "(no UTF-8 text)"),
    ...toSection("the team's, in place now", theirs ?? "(removed)"),
    ...parked.slice(1).map((path) => `Kept from an earlier time: team-memory attic show ${toShellWord(path)}`),
  ]);
  return EXIT.ok;
}

function toSection(title: string, text: string): string[] {
  return [`=== ${title}`, ...text.replace(/\n$/, "").split("\n"), ""];
}

interface Resolving {
  readonly context: SyncContext;
  readonly options: CommandOptions;
  readonly io: Io;
  readonly key: MemoryKey;
}

async function resolve({ context, options, io, key }: Resolving): Promise<number> {
  const said = toChoice(options);
  const decide = (resolution: Resolution, seen?: Conflict) =>
    withPlace(context, io, async () => {
      if (seen !== undefined) assertSame(seen, readConflict(context, key));
      return resolveConflict(context, key, resolution);
    });
  const { text } =
    said === "edit"
      ? await edit(options, readConflict(context, key), decide)
      : await decide(toResolution(options, said));
  io.result({ key, resolved: said }, [
    ...(text === null
      ? [`As the team has it: ${key}`, `Yours is kept: ${toCopiesCommand(key)}`]
      : [`In place: ${key}`, toProposeLine(options, context, key)]),
    ...toUnderReviewLines(context, key),
  ]);
  return EXIT.ok;
}

type Decide = (resolution: Resolution, seen: Conflict) => ReturnType<typeof resolveConflict>;

/** The lock is not held meanwhile: no session waits for somebody who thinks. */
function edit(options: CommandOptions, seen: Conflict, decide: Decide): ReturnType<Decide> {
  return withEdited(options, toEditBuffer(seen), async (edited) =>
    decide({ kind: "text", text: fromEditBuffer(edited, seen) }, seen),
  );
}

function assertSame(seen: Conflict, now: Conflict): void {
  if (seen.parked[0] === now.parked[0] && seen.theirs === now.theirs) return;
  throw new TeamMemoryError("conflict", `The team or you changed it again meanwhile: ${seen.key}`);
}

type Choice = "mine" | "theirs" | "both" | "edit" | "text-file";
const CHOICES: readonly Choice[] = ["mine", "theirs", "both", "edit", "text-file"];

function toChoice({ values }: CommandOptions): Choice {
  const [choice, ...others] = CHOICES.filter((name) => values[name] !== undefined);
  if (choice !== undefined && others.length === 0) return choice;
  throw toUsageError("conflicts", "Say one of --mine, --theirs, --both, --edit, --text-file FILE");
}

function toResolution(options: CommandOptions, said: Exclude<Choice, "edit">): Resolution {
  return said === "text-file" ? { kind: "text", text: readTextFile(options) } : { kind: said };
}

function readTextFile({ values }: CommandOptions): string {
  const path = String(values["text-file"]);
  const bytes = readSmallFileBytes(path, LIMITS.memorySizeBytesMax);
  if (bytes === null) throw toUsageError("conflicts", `No such file: ${path}`);
  return decodeMemory(bytes);
}
