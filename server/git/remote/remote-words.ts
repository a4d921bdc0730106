import { LIMITS } from "../../../shared/limits.ts";

/**
 * What the remote and its hooks said, as bounded lines without control, invisible or bidi characters, joined by `; `:
 * it ends up on terminals and in logs.
 */
export function toRemoteWords(text: string): string {
  const lines = text
    .slice(0, LIMITS.remoteWordsLengthMax * 4)
    .replace(ESCAPE_SEQUENCE, "")
    .split(/[\r\n]+/u)
    .map((line) => line.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").trim())
    .filter((line) => line !== "");
  const words = lines.join("; ");
  return words.length <= LIMITS.remoteWordsLengthMax ? words : `${words.slice(0, LIMITS.remoteWordsLengthMax - 3)}...`;
}

/** Colours and window titles, whole: without their first character the rest would stay as noise. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/gu;
