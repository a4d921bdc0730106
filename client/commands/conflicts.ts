import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { decodeMemory } from "../../shared/memory/to-canonical.ts";
import { type MemoryKey, sanitizePathKey } from "../../shared/path/sanitize-path-key.ts";
import type { Command, CommandOptions } from "../cli.ts";
import type { Io } from "../io.ts";
import { readSmallFileBytes } from "../memory/read-small-file.ts";
import { type Conflict, type Resolution, readConflict, readConflicts, resolveConflict } from "../sync/conflicts.ts";
import { atticFolder } from "../sync/state/attic.ts";
import { editText } from "./edit-text.ts";
import { openSync } from "./open-sync.ts";
import { withPlace } from "./with-place.ts";

/** Memories that were changed here and by the team, in ways that do not merge: list them, look at one, decide. */
export const conflicts: Command = async (options, io) => {
  const [verb = "list", key, ...others] = options.positionals;
  if (others.length > 0) throw usage(`Too many arguments: ${others.join(" ")}`);
  if (verb === "list" && key === undefined) return list(options, io);
  if (key === undefined) throw usage(`Say which memory: conflicts ${verb} KEY`);
  if (verb === "show") return show(options, io, sanitizePathKey(key));
  if (verb === "resolve") return resolve(options, io, sanitizePathKey(key));
  throw usage(`No such conflicts command: ${verb}`);
};

function list(options: CommandOptions, io: Io): number {
  const context = openSync(options);
  const found = readConflicts(context);
  const data = found.map(({ key, theirs, parked }) => ({ key, isRemovedByTeam: theirs === null, parked }));
  io.result({ conflicts: data }, found.length === 0 ? ["No conflicts"] : [...found.map(toLine), HOW]);
  return found.length === 0 ? EXIT.ok : EXIT.attention;
}

const HOW = "Look at one: team-memory conflicts show KEY; decide: team-memory conflicts resolve KEY --help";

function toLine({ key, theirs, parked }: Conflict): string {
  const about = [
    ...(theirs === null ? ["the team has removed it since"] : []),
    ...(parked.length > 1 ? [`${parked.length} texts of yours wait`] : []),
  ];
  return about.length === 0 ? key : `${key} (${about.join("; ")})`;
}

function show(options: CommandOptions, io: Io, key: MemoryKey): number {
  const context = openSync(options);
  const conflict = readConflict(context, key);
  const { base, mine, theirs, parked } = conflict;
  io.result({ conflict }, [
    ...toSection("what both started from", base ?? "(nothing, or not known any more)"),
    ...toSection("mine", mine ?? "(no UTF-8 text)"),
    ...toSection("the team's, in place now", theirs ?? "(removed)"),
    ...parked.slice(1).map((path) => `Parked before: ${atticFolder(context.stateFolder)}/${path}`),
  ]);
  return EXIT.ok;
}

function toSection(title: string, text: string): string[] {
  return [`=== ${title}`, ...text.replace(/\n$/, "").split("\n"), ""];
}

async function resolve(options: CommandOptions, io: Io, key: MemoryKey): Promise<number> {
  const said = toChoice(options);
  const { resolution, done } = await toResolution({ options, io, key, said });
  const { text } = await withPlace(options, io, (context) => resolveConflict(context, key, resolution));
  done?.();
  io.result({ key, resolved: said }, [
    text === null
      ? `As the team has it; yours stays in the attic: ${key}`
      : `In place, and to be proposed by the next sync: ${key}`,
  ]);
  return EXIT.ok;
}

type Choice = "mine" | "theirs" | "both" | "edit" | "text-file";
const CHOICES: readonly Choice[] = ["mine", "theirs", "both", "edit", "text-file"];

function toChoice({ values }: CommandOptions): Choice {
  const [choice, ...others] = CHOICES.filter((name) => values[name] !== undefined);
  if (choice !== undefined && others.length === 0) return choice;
  throw usage("Say one of --mine, --theirs, --both, --edit, --text-file FILE");
}

interface Asked {
  readonly options: CommandOptions;
  readonly io: Io;
  readonly key: MemoryKey;
  readonly said: Choice;
}

interface Decided {
  readonly resolution: Resolution;
  /** Called once the decision is in place. */
  readonly done?: () => void;
}

async function toResolution({ options, key, said }: Asked): Promise<Decided> {
  if (said === "text-file") return { resolution: { kind: "text", text: readTextFile(options) } };
  if (said !== "edit") return { resolution: { kind: said } };
  const { mine } = readConflict(openSync(options), key);
  // The lock is not held meanwhile: no session waits for somebody who thinks.
  const { text, drop } = editText(options, mine ?? "");
  return { resolution: { kind: "text", text }, done: drop };
}

function readTextFile({ values }: CommandOptions): string {
  const path = String(values["text-file"]);
  const bytes = readSmallFileBytes(path, LIMITS.memorySizeBytesMax);
  if (bytes === null) throw usage(`No such file: ${path}`);
  return decodeMemory(bytes);
}

function usage(message: string): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage: "team-memory conflicts --help" } });
}
