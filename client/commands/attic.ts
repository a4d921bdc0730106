import { EXIT } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Command, CommandOptions } from "../command.ts";
import { countOf } from "../count-of.ts";
import type { Io } from "../io.ts";
import type { SyncContext } from "../sync/context.ts";
import { atticFolder, readAttic } from "../sync/state/attic.ts";
import { type AtticText, isSomebodysText, listAttic } from "../sync/state/list-attic.ts";
import { restoreFromAttic } from "../sync/wish/restore-from-attic.ts";
import { openSync } from "./open-sync.ts";
import { toCopiesCommand, toDecidedLines, toProposeLine, toUnderReviewLines } from "./say-next.ts";
import { toKey } from "./to-key.ts";
import { toUnknownVerb, toUsageError } from "./to-usage-error.ts";
import { withPlace } from "./with-place.ts";

/** Texts that were replaced here. Only `show` prints one: nobody's screen is told what was meant to go. */
export const attic: Command = async (options, io) => {
  const [verb = "list", asked, ...others] = options.positionals;
  if (others.length > 0) throw toUsageError("attic", `Too many arguments: ${others.join(" ")}`);
  if (verb === "list") return list(openSync(options), io, asked);
  if (verb !== "show" && verb !== "restore") throw toUnknownVerb("attic", verb, ["list", "show", "restore"]);
  if (asked === undefined)
    throw toUsageError("attic", `Say which: attic ${verb} ${verb === "show" ? "PATH-or-NUMBER" : "KEY-or-NUMBER"}`);
  const context = openSync(options);
  if (verb === "show") return show(context, io, asked);
  return restore(context, options, io, asked);
};

/** A text and its number: they count from 1, the newest, over the whole attic, whatever part of it is listed. */
interface Numbered extends AtticText {
  readonly number: number;
}

function readNumbered(stateFolder: string): Numbered[] {
  return listAttic(stateFolder).map((text, at) => ({ ...text, number: at + 1 }));
}

function list(context: SyncContext, io: Io, asked: string | undefined): number {
  const { stateFolder } = context;
  const key = asked === undefined ? null : toKey(context, asked);
  const texts = readNumbered(stateFolder).filter((text) => key === null || text.key === key);
  const data = texts.map(({ number, key: of, why, atMs, sizeBytes, path }) => {
    return { number, key: of, why, at: toDate(atMs), sizeBytes, path };
  });
  io.result({ folder: atticFolder(stateFolder), texts: data }, [
    ...(texts.length === 0
      ? [`Nothing ${key === null ? "" : `of ${key} `}was replaced here`]
      : [`Copies of texts that were replaced or removed here, in ${atticFolder(stateFolder)}`]),
    ...texts.map(toLine),
  ]);
  return EXIT.ok;
}

function toLine({ number, key, why, atMs, sizeBytes }: Numbered): string {
  return `${String(number).padStart(5)}  ${toDate(atMs)}  ${WORDS[why].padEnd(WIDTH)}  ${countOf(sizeBytes, "byte")}  ${key}`;
}

function toDate(atMs: number): string {
  return new Date(atMs).toISOString();
}

const WORDS: Readonly<Record<AtticText["why"], string>> = {
  replaced: "replaced",
  removed: "removed",
  merged: "merged",
  conflict: "conflict, mine",
  base: "conflict, before",
  resolved: "decided about",
  "written-meanwhile": "written meanwhile",
  index: "from the index",
  found: "found",
};
const WIDTH = "written meanwhile".length;

function show({ stateFolder }: SyncContext, io: Io, asked: string): number {
  const text = find(readNumbered(stateFolder), ({ path, number }) => path === asked || String(number) === asked, asked);
  const words = readAttic(stateFolder, text.path)?.toString("utf8") ?? "";
  io.result({ key: text.key, path: text.path, text: words }, words.replace(/\n$/, "").split("\n"));
  return EXIT.ok;
}

/** The text of the number that is given, in place of the key or beside it; else the newest that was anybody's last. */
async function restore(context: SyncContext, options: CommandOptions, io: Io, asked: string): Promise<number> {
  const isNumber = options.values["at"] === undefined && /^[0-9]+$/.test(asked);
  const at = isNumber ? asked : options.values["at"];
  const key = toKey(context, isNumber ? findNumber(context, asked).key : asked);
  const { path, was, isReviewed, isDecided } = await withPlace(context, io, async () => {
    const texts = readNumbered(context.stateFolder).filter((text) => text.key === key);
    const isMeant = (text: Numbered) => (at === undefined ? isSomebodysText(text) : String(text.number) === at);
    const text = find(texts, isMeant, `${key} ${at ?? ""}`.trim());
    return restoreFromAttic(context, key, text.path);
  });
  io.result({ key, restored: path, isDecided }, [
    `${was === "same" ? "This text lies there already" : "In place"}: ${key}`,
    ...(was === "other" ? [`What lay there is kept: ${toCopiesCommand(key)}`] : []),
    ...toUnderReviewLines(context, key),
    ...toDecidedLines(isDecided, key),
    isReviewed ? "It is the team's text, so there is nothing to propose" : toProposeLine(options, context, key),
  ]);
  return EXIT.ok;
}

function findNumber({ stateFolder }: SyncContext, asked: string): Numbered {
  return find(readNumbered(stateFolder), ({ number }) => String(number) === asked, asked);
}

function find(texts: readonly Numbered[], is: (text: Numbered) => boolean, asked: string): Numbered {
  const text = texts.find(is);
  if (text !== undefined) return text;
  throw new TeamMemoryError("not_here", `The attic has no such text: ${asked}`, {
    details: { asked, usage: "What it has is listed by: team-memory attic list" },
  });
}
