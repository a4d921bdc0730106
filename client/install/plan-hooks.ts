import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { isRecord } from "../memory/claude-settings.ts";
import { appendJson, removeJson } from "./edit-json.ts";
import { type HookEntry, isOwnHandler } from "./hook-entries.ts";

/**
 * Puts our entries into the text of the host's settings and takes them out again; pure. Everything else in the file stays
 * to the letter, entries of other tools too, malformed ones included. A file that is not strict JSON is left alone: the
 * host would not read it either, and what is in it is not ours to guess.
 */
export interface HookPlan {
  readonly text: string;
  /** The text without our entries: what `leave` should bring back. Null: there was no file. */
  readonly clean: string | null;
  readonly made: MadeContainers;
}

/** What had to be made to hold the entries, and so has to go with them. */
export interface MadeContainers {
  readonly file: boolean;
  readonly hooks: boolean;
  readonly list: boolean;
}

/** Where no record says it: containers that are empty without us go, the file stays. */
export const MADE_UNKNOWN: MadeContainers = { file: false, hooks: true, list: true };

const HOOKS = "hooks";
const EVENT = "SessionStart";
const LIST = [HOOKS, EVENT] as const;

/**
 * @param made what an earlier run made, where our entries are in the text already
 * @throws TeamMemoryError `settings_invalid`
 */
export function planHooks(text: string | null, entries: readonly HookEntry[], made = MADE_UNKNOWN): HookPlan {
  if (text === null) {
    const whole = { [HOOKS]: { [EVENT]: entries } };
    return { text: `${JSON.stringify(whole, null, 2)}\n`, clean: null, made: { file: true, hooks: true, list: true } };
  }
  if (hasExactly(text, entries)) return { text, clean: planNoHooks(text, made), made };
  const clean = planNoHooks(text, made);
  const base = clean ?? "{}\n";
  const needed = {
    file: made.file && hasOwn(text),
    hooks: valueAt(base, [HOOKS]) === undefined,
    list: valueAt(base, LIST) === undefined,
  };
  return { text: insertEntries(base, entries, needed), clean, made: needed };
}

/**
 * The text without our entries and what was made for them; null where nothing else is left of a file that we made.
 *
 * @throws TeamMemoryError `settings_invalid`
 */
export function planNoHooks(text: string, made: MadeContainers): string | null {
  parseSettings(text);
  let rest = text;
  for (let path = findOwnHandler(rest); path !== null; path = findOwnHandler(rest)) rest = removeHandler(rest, path);
  if (rest === text) return text;
  if (made.list && isEmpty(valueAt(rest, LIST))) rest = removeJson(rest, LIST);
  if (made.hooks && isEmpty(valueAt(rest, [HOOKS]))) rest = removeJson(rest, [HOOKS]);
  return made.file && isEmpty(parseSettings(rest)) ? null : rest;
}

/** True where any of our entries stands in the text, of whatever version. */
function hasOwn(text: string): boolean {
  return findOwnHandler(text) !== null;
}

function insertEntries(text: string, entries: readonly HookEntry[], needed: MadeContainers): string {
  if (needed.hooks) return appendJson(text, [], { key: HOOKS, value: { [EVENT]: entries } });
  if (needed.list) return appendJson(text, [HOOKS], { key: EVENT, value: entries });
  return entries.reduce((grown, value) => appendJson(grown, LIST, { value }), text);
}

/** Ours are all there, once, as they would be written now. */
function hasExactly(text: string, entries: readonly HookEntry[]): boolean {
  const own = listOf(text).filter((entry) => handlersOf(entry).some(isOwnHandler));
  return JSON.stringify(own) === JSON.stringify(entries);
}

/** A person may have put our line beside others in one entry: then only the line is ours. */
function removeHandler(text: string, [entry, handler]: OwnHandler): string {
  const isAlone = handlersOf(listOf(text)[entry]).length === 1;
  return removeJson(text, isAlone ? [...LIST, entry] : [...LIST, entry, HOOKS, handler]);
}

type OwnHandler = readonly [entry: number, handler: number];

/** The last one, so that cutting it out moves none of the others. */
function findOwnHandler(text: string): OwnHandler | null {
  const list = listOf(text);
  const entry = list.findLastIndex((value) => handlersOf(value).some(isOwnHandler));
  return entry === -1 ? null : [entry, handlersOf(list[entry]).findLastIndex(isOwnHandler)];
}

function listOf(text: string): readonly unknown[] {
  const list = valueAt(text, LIST);
  return Array.isArray(list) ? list : [];
}

function handlersOf(entry: unknown): readonly unknown[] {
  const handlers = isRecord(entry) ? entry[HOOKS] : null;
  return Array.isArray(handlers) ? handlers : [];
}

function valueAt(text: string, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), parseSettings(text));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function parseSettings(text: string): Readonly<Record<string, unknown>> {
  const settings = parseJson(text.replace(/^\uFEFF/, ""));
  if (!isRecord(settings)) throw toInvalid("they are no JSON object");
  const hooks = settings[HOOKS];
  if (hooks !== undefined && !isRecord(hooks)) throw toInvalid(`"${HOOKS}" is no object`);
  if (hooks?.[EVENT] !== undefined && !Array.isArray(hooks[EVENT])) throw toInvalid(`"${HOOKS}.${EVENT}" is no list`);
  return settings;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw toInvalid("they are not strict JSON", cause);
  }
}

function toInvalid(why: string, cause?: unknown): TeamMemoryError {
  return new TeamMemoryError("settings_invalid", `Could not change the host's settings: ${why}`, { cause });
}
