import { describe, expect, it } from "vitest";
import { scanForSecrets } from "../../../shared/secret/scan.ts";

const LENGTH = 128 * 1024;
const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Of the processor's time: what else the machine does must not count. */
function durationMs(text: string): number {
  const before = process.cpuUsage();
  scanForSecrets(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const TRIES_MIN = 3;
const TRIES_MAX = 20;

/** The best times of some tries, each text in turn: what else the machine does only adds. On a busy one it takes more. */
function bestDurationsMs(text: string, twice: string): readonly [number, number] {
  let [one, two] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES_MIN || (tries < TRIES_MAX && !isLinear(one, two)); tries += 1) {
    one = Math.min(one, durationMs(text));
    two = Math.min(two, durationMs(twice));
  }
  return [one, two];
}

/** Of times too short to be compared, the longer one is short as well. */
function isLinear(oneMs: number, twoMs: number): boolean {
  return twoMs < 3 * oneMs + 15;
}

describe("scanForSecrets, of 256 KiB made to be slow", () => {
  it.each([
    ["one letter", "a"],
    ["one capital", "A"],
    ["digits", "0"],
    ["line ends", "\n"],
    ["spaces", " "],
    ["equals signs", "="],
    ["dashes", "-"],
    ["prefixes", "ghp_"],
    ["prefixes that fit the body", "xoxb-"],
    ["beginnings of tokens of three parts", "eyJ"],
    ["their middles", "eyJaaaaaaaaaaaaaaaaaa."],
    ["tokens with a part in the middle", "sk-T3BlbkFJ"],
    ["lookbehinds", ":AA"],
    ["keywords", "token"],
    ["assignments", "token="],
    ["assignments with spaces", "password = "],
    ["assignments over lines", 'password:"\n '],
    ["addresses", "://a:b@"],
    ["key headers", "-----BEGIN PRIVATE KEY-----"],
    ["base64", "QUFB"],
    ["wrapped base64", `${"QUFB".repeat(10)}\n`],
    ["base64 of base64", "UVVGQlFVRkJRVUZC"],
    ["hexadecimal", "41"],
    ["percent signs", "%41"],
    ["entities", "&#x41;"],
    ["quotes and spaces", `a"${" ".repeat(40)}`],
    ["strings added up", 'a"+"'],
    ["continued lines", "a\\\n"],
    ["tags", "a<b "],
    ["comments", "a<!--"],
    ["invisible characters", "\u200b"],
    ["combining marks", "a\u0301"],
    ["ligatures", "\ufdfa"],
    ["half surrogate pairs", "\ud83d"],
    ["fields of a Kubernetes secret", "kind: Secret\n  a: AAAAAAAAAAAA\n"],
    ["netrc", "login a password "],
    ["passwords on one line", "password=a8dk3LLs9x2k "],
    ["passwords on many lines", "password=a8dk3LLs9x2k\n"],
  ])("takes time by length: %s", (_name, unit) => {
    const [text, twice] = [fill(unit, LENGTH), fill(unit, 2 * LENGTH)];
    durationMs(text);
    const [one, two] = bestDurationsMs(text, twice);
    expect(two).toBeLessThan(3 * one + 15);
    expect(two).toBeLessThan(2_000);
  });
});
