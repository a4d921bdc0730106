import { COMMANDS, COMMON_FLAGS, type CommandRow } from "./command-rows.ts";
import { toColumns, toFlagLines } from "./flag-rows.ts";

/** Of one command, or of all. */
export function helpText(row?: CommandRow): string {
  if (row !== undefined) {
    const parts = [[toUsage(row)], [row.summary], toActionLines(row), toFlagLines({ ...row.flags, ...COMMON_FLAGS })];
    return parts
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n");
  }
  return [
    "team-memory-server COMMAND [--json]",
    "",
    ...toColumns(COMMANDS.map(({ name, summary }) => [name, summary])),
    "",
    "team-memory-server COMMAND --help says more; settings may also come from TEAM_MEMORY_* variables",
  ].join("\n");
}

/** How a command is called, on one line. */
export function toUsage({ name, words, actions, flags, neededFlags = [] }: CommandRow): string {
  const named = neededFlags.map((flag) => `--${flag} ${flags[flag]?.value}`);
  const ways = (actions ?? []).map((action) => [action.name, ...action.words].join(" ")).join(" | ");
  return ["team-memory-server", name, ...(ways === "" ? [] : [ways]), ...words, ...named, "[FLAGS]"].join(" ");
}

/** What can be done with a command, a line each. */
export function toActionLines({ actions = [] }: CommandRow): readonly string[] {
  return toColumns(actions.map(({ name, words, summary }) => [[name, ...words].join(" "), summary]));
}
