import { isRecord } from "../memory/claude-settings.ts";
import { appendJson, removeJson } from "./edit-json.ts";
import { findOwnHandlers, HOOKS, handlersOf, listOf, parseSettings, valueAt } from "./find-own-handlers.ts";
import { HOOK_EVENTS, type HookEntries, type HookEvent, isOwnHandler } from "./hook-entries.ts";

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
  /** The events whose lists were made. */
  readonly lists: readonly HookEvent[];
}

/** Where no record says it: containers that are empty without us go, the file stays. */
export const MADE_UNKNOWN: MadeContainers = { file: false, hooks: true, lists: HOOK_EVENTS };

/**
 * @param made what an earlier run made, where our entries are in the text already
 * @throws TeamMemoryError `settings_invalid`
 */
export function planHooks(text: string | null, entries: HookEntries, made = MADE_UNKNOWN): HookPlan {
  if (text === null) {
    const whole = `${JSON.stringify({ [HOOKS]: entries }, null, 2)}\n`;
    return { text: whole, clean: null, made: { file: true, hooks: true, lists: HOOK_EVENTS } };
  }
  const clean = planNoHooks(text, made);
  if (hasExactly(text, entries)) return { text, clean, made };
  const base = clean ?? "{}\n";
  const needed = {
    file: made.file && findOwnHandlers(text).length > 0,
    hooks: valueAt(base, [HOOKS]) === undefined,
    lists: HOOK_EVENTS.filter((event) => valueAt(base, [HOOKS, event]) === undefined),
  };
  return { text: insertEntries(base, entries, needed), clean, made: needed };
}

/**
 * The text without our entries and what was made for them; null where nothing else is left of a file that we made. The
 * last of everything goes first: cutting it out moves none of the others.
 *
 * @throws TeamMemoryError `settings_invalid`
 */
export function planNoHooks(text: string, made: MadeContainers): string | null {
  parseSettings(text);
  const own = findOwnHandlers(text);
  if (own.length === 0) return text;
  let rest = text;
  for (const { event, entry, handler } of own.toReversed()) {
    const isAlone = handlersOf(listOf(rest, event)[entry]).length === 1;
    rest = removeJson(rest, [HOOKS, event, entry, ...(isAlone ? [] : [HOOKS, handler])]);
    const isMade = made.lists.some((list) => list === event);
    if (isMade && isEmpty(valueAt(rest, [HOOKS, event]))) rest = removeJson(rest, [HOOKS, event]);
  }
  if (made.hooks && isEmpty(valueAt(rest, [HOOKS]))) rest = removeJson(rest, [HOOKS]);
  return made.file && isEmpty(parseSettings(rest)) ? null : rest;
}

function insertEntries(text: string, entries: HookEntries, needed: MadeContainers): string {
  if (needed.hooks) return appendJson(text, [], { key: HOOKS, value: entries });
  return HOOK_EVENTS.reduce((grown, event) => insertInto(grown, event, { entries, needed }), text);
}

function insertInto(
  text: string,
  event: HookEvent,
  { entries, needed }: { entries: HookEntries; needed: MadeContainers },
): string {
  if (needed.lists.includes(event)) return appendJson(text, [HOOKS], { key: event, value: entries[event] });
  return entries[event].reduce((grown, value) => appendJson(grown, [HOOKS, event], { value }), text);
}

/** Ours are all there, once, as they would be written now, and nowhere else. */
function hasExactly(text: string, entries: HookEntries): boolean {
  const hooks = valueAt(text, [HOOKS]);
  const own = Object.keys(isRecord(hooks) ? hooks : {}).flatMap((event) => {
    const found = listOf(text, event).filter((entry) => handlersOf(entry).some(isOwnHandler));
    return found.length === 0 ? [] : [[event, found] as const];
  });
  return JSON.stringify(sorted(own)) === JSON.stringify(sorted(Object.entries(entries)));
}

function sorted(lists: readonly (readonly [string, readonly unknown[]])[]) {
  return [...lists].sort(([a], [b]) => (a < b ? -1 : 1));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
