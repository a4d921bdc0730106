/** Flags of a command, by name: what parseArgs of node:util needs, and what the help says. */
export type FlagRows = Readonly<Record<string, FlagRow>>;

interface FlagRow {
  readonly type: "string" | "boolean";
  readonly multiple?: true;
  readonly short?: string;
  /** What stands for its value; a switch has none. */
  readonly value?: string;
  readonly help: string;
}

/** One line a flag. */
export function toFlagLines(rows: FlagRows): readonly string[] {
  return toColumns(Object.entries(rows).map(([name, row]) => [toWords(name, row), row.help] as const));
}

export function toColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`);
}

function toWords(name: string, { short, value, multiple }: FlagRow): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return `${names}${value === undefined ? "" : ` ${value}`}${multiple ? " ..." : ""}`;
}
