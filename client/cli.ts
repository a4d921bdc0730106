import type { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { didYouMean } from "../shared/text/did-you-mean.ts";
import type { CommandRow, ParsedCall } from "./command.ts";
import { HOOK } from "./hook-row.ts";
import { COMMON_FLAGS, parseRow, toUsage, usageError } from "./parse-call.ts";
import { toFlagLines } from "./parse-words.ts";

const NONE = { needed: [], max: 0 };
const KEY = { needed: ["KEY"], max: 1 };
const ANY = { needed: [], max: Number.POSITIVE_INFINITY };

/**
 * The command table. A command's module is loaded when it is called; the hook's row stands apart, for a session waits for
 * that one and must not wait for the others' words to be read.
 */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: "join",
    usage:
      "join [LINK] [--project NAME] [--no-install] [--insecure] [--move | --fresh] [--propose ask|auto] [--name NAME] [--email ADDRESS]",
    summary: "take part in the project of this folder",
    flags: {
      project: { value: "NAME", help: "what this folder is about; what origin names, where it is left out" },
      "no-install": { help: "leave the host's settings alone and print what to put into them" },
      insecure: { help: "allow plain http to another machine: its network sees token and memories" },
      move: { help: "the copies here are of this project under its old name or service: keep them" },
      fresh: { help: "take the copies here away and pull anew; what the team does not have stays" },
      propose: { value: "ask|auto", help: "whether a turn's end asks before it proposes what changed; auto at first" },
      name: { value: "NAME", help: "your name for the team; what git says, where it is left out" },
      email: { value: "ADDRESS", help: "your address for the team; what git says, where it is left out" },
    },
    words: { needed: [], max: 1 },
    load: async () => (await import("./commands/join.ts")).join,
  },
  {
    name: "leave",
    usage: "leave [--project NAME | --all]",
    summary: "undo join, in all clones here; what the team does not have stays where it is",
    flags: {
      project: { value: "NAME", help: "this project, in place of the folder's" },
      all: { help: "every project of this machine" },
    },
    words: NONE,
    load: async () => (await import("./commands/leave.ts")).leave,
  },
  {
    name: "sync",
    usage: "sync",
    summary: "pull, then propose what changed here",
    flags: {},
    words: NONE,
    load: async () => (await import("./commands/sync.ts")).sync,
  },
  {
    name: "pull",
    usage: "pull [--accept-removals]",
    summary: "take what the team has approved; copies of texts that it replaces are kept: team-memory attic",
    flags: { "accept-removals": { help: "take also a pull that removes more than half of the files" } },
    words: NONE,
    load: async () => (await import("./commands/pull.ts")).pull,
  },
  {
    name: "push",
    usage: "push [KEY...]",
    summary: "propose what changed here; a KEY is sent even where it was held back",
    flags: {},
    words: ANY,
    load: async () => (await import("./commands/push.ts")).push,
  },
  {
    name: "status",
    usage: "status",
    summary: "each file's state, and how fresh the copy is",
    flags: {},
    words: NONE,
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "diff",
    usage: "diff [KEY]",
    summary: "what is changed here",
    flags: {},
    words: { needed: [], max: 1 },
    load: async () => (await import("./commands/diff.ts")).diff,
  },
  {
    name: "conflicts",
    usage: "conflicts [list | show KEY | resolve KEY (--mine | --theirs | --both | --edit | --text-file FILE)]",
    summary:
      "decide about memories that you and the team changed in ways that do not merge; a file that is edited and pushed by name is decided, too",
    flags: {
      mine: { help: "mine is proposed over the team's" },
      theirs: { help: "the team's stays; a copy of mine is kept: team-memory attic" },
      both: { help: "the team's with mine behind it" },
      edit: { help: "what I make of it in my editor" },
      "text-file": { value: "FILE", help: "the text of that file" },
    },
    words: ANY,
    load: async () => (await import("./commands/conflicts.ts")).conflicts,
  },
  {
    name: "attic",
    usage: "attic [list [KEY] | show PATH-or-NUMBER | restore (NUMBER | KEY [--at NUMBER])]",
    summary: "the copies that are kept of replaced and removed texts: look at them, bring one back",
    flags: { at: { value: "NUMBER", help: "which of the listed texts; the newest, where it is left out" } },
    words: ANY,
    load: async () => (await import("./commands/attic.ts")).attic,
  },
  {
    name: "keep-private",
    usage: "keep-private KEY",
    summary: "move a memory that the team does not have to your private ones",
    flags: {},
    words: KEY,
    load: async () => (await import("./commands/keep-private.ts")).keepPrivate,
  },
  {
    name: "rm",
    usage: "rm KEY",
    summary: "propose removing a memory for all",
    flags: {},
    words: KEY,
    load: async () => (await import("./commands/rm.ts")).rm,
  },
  {
    name: "restore",
    usage: "restore KEY",
    summary: "bring a memory back to the team's text, or a removed one back on purpose",
    flags: {},
    words: KEY,
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  {
    name: "review",
    usage: "review [list | show ID | approve ID [KEY...] [--head COMMIT] | close ID [KEY...] --reason TEXT]",
    summary: "look at proposals and decide on them, if you are a reviewer",
    flags: {
      reason: { value: "TEXT", help: "why, for its author to read" },
      head: { value: "COMMIT", help: "approve only what was shown: refused where it has changed since" },
    },
    words: ANY,
    load: async () => (await import("./commands/review.ts")).review,
  },
  HOOK,
];

/** @throws TeamMemoryError `usage` */
export function parseCall(args: readonly string[]): ParsedCall {
  const row = COMMANDS.find(({ name }) => name === args[0]);
  if (row === undefined) throw toUnknown(args[0]);
  return parseRow(row, args.slice(1));
}

/** The whole help only where nothing was said: beside a slip of the keys it hides what is wrong. */
function toUnknown(name: string | undefined): TeamMemoryError {
  if (name === undefined || name.startsWith("-")) return usageError("No command was given", helpText());
  const known = COMMANDS.map((row) => row.name);
  return usageError(`No such command: ${name}`, `${didYouMean(name, known)} All of them: team-memory help`.trim());
}

export function helpText(row?: CommandRow): string {
  if (row !== undefined)
    return [toUsage(row), "", row.summary, "", ...toFlagLines({ ...row.flags, ...COMMON_FLAGS })].join("\n");
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const flags = toFlagLines({ ...COMMON_FLAGS, version: { short: "v", help: "which one this is" } });
  return ["team-memory COMMAND [--json]", "", ...lines, "", ...flags, "", "team-memory COMMAND --help says more"].join(
    "\n",
  );
}
