/**
 * Tokens by their issuers' shapes. The text is walked once: an anchor's last two characters, which are rare ones in prose,
 * decide by a table which rules look here at all; a rule looks with an expression that is held to this place and bounded, so
 * that time grows with the text alone.
 */
import { CLOUD_TOKENS } from "./cloud-tokens.ts";
import { FORGE_TOKENS } from "./forge-tokens.ts";
import { isStandIn } from "./is-placeholder.ts";
import { looksRandom } from "./random-looking.ts";
import { type SecretMatch, toMasked } from "./secret-match.ts";
import { SERVICE_TOKENS } from "./service-tokens.ts";
import type { TokenRule } from "./token-rule.ts";

interface Probe {
  readonly rule: TokenRule;
  readonly anchor: string;
  readonly expression: RegExp;
}

const ASCII = 128;
const PROBES = buildProbes([...FORGE_TOKENS, ...CLOUD_TOKENS, ...SERVICE_TOKENS]);

export function findTokens(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  let code = text.charCodeAt(0);
  for (let index = 1; index < text.length; index++) {
    const last = text.charCodeAt(index);
    const probes = code < ASCII && last < ASCII ? PROBES[code * ASCII + last] : undefined;
    code = last;
    const match = probes === undefined ? null : probeAt(text, index + 1, probes);
    if (match === null) continue;
    found.push(match);
    index = Math.max(index, match.end - 1);
    code = text.charCodeAt(index);
  }
  return found;
}

/** `end` is where the anchor ends. */
function probeAt(text: string, end: number, probes: readonly Probe[]): SecretMatch | null {
  for (const { rule, anchor, expression } of probes) {
    if (!text.endsWith(anchor, end)) continue;
    expression.lastIndex = end - anchor.length;
    const match = expression.exec(text);
    if (match === null) continue;
    const [whole, before = "", body = ""] = match;
    if (!isSecret(rule, before, anchor, body)) continue;
    const masked = toMasked(rule.before === undefined ? anchor : "");
    return { rule: rule.rule, start: match.index - before.length, end: match.index + whole.length, masked };
  }
  return null;
}

function isSecret(rule: TokenRule, before: string, anchor: string, body: string): boolean {
  if (rule.isIssued?.(anchor + body)) return true;
  return !isStandIn(before + body) && (rule.random === undefined || looksRandom(before + body));
}

/** By the last two characters of the anchor; in one place the rule of the longest anchor is asked first. */
function buildProbes(rules: readonly TokenRule[]): (readonly Probe[] | undefined)[] {
  const table: Probe[][] = new Array(ASCII * ASCII);
  const probes = rules.flatMap((rule) => rule.anchors.map((anchor) => toProbe(rule, anchor)));
  for (const probe of probes.sort((a, b) => b.anchor.length - a.anchor.length)) {
    const slot =
      probe.anchor.charCodeAt(probe.anchor.length - 2) * ASCII + probe.anchor.charCodeAt(probe.anchor.length - 1);
    table[slot] = [...(table[slot] ?? []), probe];
  }
  return table;
}

function toProbe(rule: TokenRule, anchor: string): Probe {
  const left = rule.whole === undefined ? "" : "(?<![A-Za-z0-9])";
  const right = rule.whole === true ? "(?![A-Za-z0-9])" : "";
  const literal = anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const source = `(?<=${left}(${rule.before ?? ""}))${literal}((?:${rule.body}))${right}`;
  return { rule, anchor, expression: new RegExp(source, "y") };
}
