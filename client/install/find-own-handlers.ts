import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { isRecord } from "../memory/claude-settings.ts";
import { HOOK_EVENTS, isOwnHandler } from "./hook-entries.ts";

/** The settings' member with the lists, and an entry's with its handlers. */
export const HOOKS = "hooks";

/** Where one of our lines stands. */
export interface OwnHandler {
  readonly event: string;
  readonly entry: number;
  readonly handler: number;
}

/**
 * Our lines, of whatever version and for whatever event, in the order of the text. A person may have put one beside
 * others in one entry: then only the line is ours.
 *
 * @throws TeamMemoryError `settings_invalid`
 */
export function findOwnHandlers(text: string): readonly OwnHandler[] {
  const hooks = valueAt(text, [HOOKS]);
  const events = isRecord(hooks) ? Object.keys(hooks) : [];
  return events.flatMap((event) =>
    listOf(text, event).flatMap((value, entry) =>
      handlersOf(value).flatMap((own, handler) => (isOwnHandler(own) ? [{ event, entry, handler }] : [])),
    ),
  );
}

export function listOf(text: string, event: string): readonly unknown[] {
  const list = valueAt(text, [HOOKS, event]);
  return Array.isArray(list) ? list : [];
}

export function handlersOf(entry: unknown): readonly unknown[] {
  const handlers = isRecord(entry) ? entry[HOOKS] : null;
  return Array.isArray(handlers) ? handlers : [];
}

export function valueAt(text: string, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    parseSettings(text),
  );
}

/** @throws TeamMemoryError `settings_invalid` */
export function parseSettings(text: string): Readonly<Record<string, unknown>> {
  const settings = parseJson(text.replace(/^\uFEFF/, ""));
  if (!isRecord(settings)) throw toInvalid("they are no JSON object");
  const hooks = settings[HOOKS];
  if (hooks !== undefined && !isRecord(hooks)) throw toInvalid(`"${HOOKS}" is no object`);
  const odd = HOOK_EVENTS.find((event) => hooks?.[event] !== undefined && !Array.isArray(hooks[event]));
  if (odd !== undefined) throw toInvalid(`"${HOOKS}.${odd}" is no list`);
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
