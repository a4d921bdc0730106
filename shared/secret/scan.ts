/**
 * Finds secrets before they leave the machine. It knows the shapes of issued tokens, names that announce a secret, addresses
 * with passwords and blocks of private keys; it reads a text as written and as meant, and what is encoded in it. Comments that
 * ask scanners to look away are not asked: whoever may write a memory may write them.
 */
import { LIMITS } from "../limits.ts";
import { decodeRuns } from "./decode-runs.ts";
import { findAssignments } from "./find-assignments.ts";
import { findPhrases } from "./find-phrases.ts";
import { findPrivateKeys } from "./find-private-keys.ts";
import { findTokens } from "./find-tokens.ts";
import { findUrlPasswords } from "./find-url-passwords.ts";
import { LineCounter } from "./line-counter.ts";
import { toReadings } from "./readings.ts";
import type { SecretMatch } from "./secret-match.ts";

export interface SecretFinding {
  /** Stable, named in messages: `github-token`. */
  readonly rule: string;
  /** 1-based. */
  readonly line: number;
  /** The public prefix and stars; no character of the secret part. */
  readonly masked: string;
}

/** The surest first: where two match the same characters, the first is named. */
const FINDERS = [findTokens, findPrivateKeys, findUrlPasswords, findPhrases, findAssignments] as const;

/**
 * Each secret once per line and rule, by line, the first ones up to a bound. Empty: none was found. Time grows linearly with
 * the text; a token that was altered beyond its shape, split by words, or reversed is not found.
 */
export function scanForSecrets(text: string): readonly SecretFinding[] {
  const findings = new Map<string, SecretFinding>();
  for (const finding of scan(text, LIMITS.secretDecodeDepthMax)) {
    findings.set(`${finding.line} ${finding.rule}`, finding);
    if (findings.size >= LIMITS.secretFindingsMax) break;
  }
  return [...findings.values()].sort((a, b) => a.line - b.line);
}

function* scan(text: string, depth: number): Generator<SecretFinding> {
  const decoded = new Set<string>();
  for (const reading of toReadings(text)) {
    const lines = new LineCounter(reading);
    for (const { rule, start, masked } of findMatches(reading.text)) yield { rule, line: lines.lineAt(start), masked };
    if (depth === 0) continue;
    for (const run of decodeRuns(reading.text)) {
      if (decoded.has(run.text)) continue;
      decoded.add(run.text);
      for (const finding of scan(run.text, depth - 1)) yield { ...finding, line: lines.lineAt(run.start) };
    }
  }
}

function findMatches(text: string): readonly SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const find of FINDERS) {
    const surer = [...found];
    const matches = find(text).slice(0, LIMITS.secretFindingsMax);
    found.push(...matches.filter((match) => !surer.some((other) => overlaps(match, other))));
  }
  return found;
}

function overlaps(one: SecretMatch, other: SecretMatch): boolean {
  return one.start < other.end && other.start < one.end;
}
