import { LIMITS } from "../limits.ts";
import { isInvisible, toVisibleLine } from "./invisible-characters.ts";

/** "Each under": the bound itself is one too many. */
const LINE_LENGTH_MAX = LIMITS.indexLineLengthMax - 1;
/** A title leaves room for the description, which is what recall chooses by. */
const TITLE_LENGTH_MAX = 60;
const TITLE_LENGTH_MIN = 12;
const MARKUP_LENGTH = "- []()".length;
const SEPARATOR = " -- ";
/** A stump of a description tells nothing. */
const DESCRIPTION_LENGTH_MIN = 8;

/**
 * `- [Name](key) -- description`, under the bound on an index line. Names and descriptions are other people's text on
 * its way to a model: they cannot end the line, leave the brackets, or open or close a fence or a tag.
 */
export function toIndexLine({ key, name, description }: { key: string; name: string; description: string }): string {
  const target = toLinkTarget(key, LINE_LENGTH_MAX - MARKUP_LENGTH - TITLE_LENGTH_MIN);
  const titleRoom = Math.min(TITLE_LENGTH_MAX, LINE_LENGTH_MAX - MARKUP_LENGTH - target.length);
  const title = cutAtWord(toTitle(name) || toTitle(key) || "memory", titleRoom);
  const head = `- [${title}](${target})`;
  const room = LINE_LENGTH_MAX - head.length - SEPARATOR.length;
  const hook = toHarmless(description);
  if (hook === "" || room < Math.min(hook.length, DESCRIPTION_LENGTH_MIN)) return head;
  return head + SEPARATOR + cutAtWord(hook, room);
}

/** Nothing that ends or escapes the brackets around it. */
function toTitle(text: string): string {
  return toHarmless(text).replaceAll("[", "(").replaceAll("]", ")").replaceAll("\\", "/");
}

/** One visible line in which no code fence and no tag can begin or end. */
function toHarmless(text: string): string {
  return toVisibleLine(text)
    .replace(/`{3,}/g, (run) => "'".repeat(run.length))
    .replace(/<(?=[a-z/!?])/gi, "‹");
}

/** What ends a Markdown link target or reads as an escape in one. Other letters stay: percent signs hide them. */
const UNSAFE_IN_TARGET = /[\s()<>[\]\\"'`%]/u;

const PLAIN_TARGET = /^[\w./-]+$/;

/** The key as a link target; of one that is too long for any line the end, which still finds the file. */
function toLinkTarget(key: string, lengthMax: number): string {
  if (key.length <= lengthMax && PLAIN_TARGET.test(key)) return key;
  const parts = Array.from(key, (char) =>
    UNSAFE_IN_TARGET.test(char) || isInvisible(char) ? percentEncode(char) : char,
  );
  const whole = parts.join("");
  if (whole.length <= lengthMax) return whole;
  let tail = "";
  for (const part of parts.reverse()) {
    if (tail.length + part.length >= lengthMax) break;
    tail = part + tail;
  }
  return `…${tail}`;
}

function percentEncode(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** Cut behind a word where one ends in the second half, else behind any whole character. */
function cutAtWord(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const head = text.slice(0, lengthMax - 1);
  const wordEnd = text[head.length] === " " ? head.length : head.lastIndexOf(" ");
  const kept = wordEnd > lengthMax / 2 ? head.slice(0, wordEnd) : head.replace(/[\ud800-\udbff\u200d]+$/, "");
  return `${kept.trimEnd()}…`;
}
