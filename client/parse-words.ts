import { didYouMean } from "../shared/text/did-you-mean.ts";

/** A command's flags by name: how they are read, and what its help says of each. */
export type Flags = Readonly<Record<string, Flag>>;

interface Flag {
  readonly short?: string;
  /** What stands for its value; a switch has none. */
  readonly value?: string;
  readonly help: string;
}

export interface ParsedWords {
  readonly positionals: readonly string[];
  /** Of a flag that is given twice, the last. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/**
 * Reads the words behind a command; ours, for every session's start would wait for `util.parseArgs` to load. `--` ends the
 * flags. A value may be joined with `=`, and has to be where it begins with a dash: a flag was forgotten there more often.
 *
 * @throws TypeError naming the flag
 */
export function parseWords(words: readonly string[], flags: Flags): ParsedWords {
  const pending = [...words];
  const positionals: string[] = [];
  const values: Record<string, string | boolean> = {};
  for (let word = pending.shift(); word !== undefined; word = pending.shift()) {
    if (word === "--") return { positionals: [...positionals, ...pending], values };
    if (word === "-" || !word.startsWith("-")) positionals.push(word);
    else {
      const { said, name, flag, joined } = findFlag(word, flags);
      const isNextValue = flag.value !== undefined && joined === undefined && pending[0]?.startsWith("-") === false;
      values[name] = toValue({ said, flag, value: isNextValue ? pending.shift() : joined });
    }
  }
  return { positionals, values };
}

function findFlag(word: string, flags: Flags) {
  const end = word.startsWith("--") ? word.indexOf("=") : -1;
  const said = end === -1 ? word : word.slice(0, end);
  const entry = Object.entries(flags).find(([name, { short }]) => said === `--${name}` || said === toLetter(short));
  if (entry === undefined) throw new TypeError(toUnknown(said, Object.keys(flags)));
  return { said, name: entry[0], flag: entry[1], joined: end === -1 ? undefined : word.slice(end + 1) };
}

function toUnknown(said: string, names: readonly string[]): string {
  const hint = didYouMean(
    said,
    names.map((name) => `--${name}`),
  );
  return `No such flag: ${said}${hint === "" ? "" : `.${hint}`}`;
}

function toLetter(short: string | undefined): string | null {
  return short === undefined ? null : `-${short}`;
}

function toValue({ said, flag, value }: { said: string; flag: Flag; value: string | undefined }): string | true {
  if (flag.value === undefined && value !== undefined) throw new TypeError(`${said} takes no value`);
  if (flag.value !== undefined && value === undefined) throw new TypeError(`${said} needs a value: ${flag.value}`);
  return value ?? true;
}

/** One line of help a flag. */
export function toFlagLines(flags: Flags): readonly string[] {
  const shown = Object.entries(flags).map(([name, flag]) => [toWords(name, flag), flag.help] as const);
  const width = Math.max(...shown.map(([words]) => words.length));
  return shown.map(([words, help]) => `  ${words.padEnd(width)}  ${help}`);
}

function toWords(name: string, { short, value }: Flag): string {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? names : `${names} ${value}`;
}
