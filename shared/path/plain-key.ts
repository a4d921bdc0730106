/**
 * What nearly all keys look like: up to four segments of small ASCII letters, digits, `_` and `-`, each beginning with a
 * letter. Left out are the few of them that a rule names: devices of Windows, our temporary names, and at the root what
 * is written with the letters of the index's name alone, or with what is drawn like them.
 */
const SEGMENT = String.raw`(?!(?:con|prn|aux|nul|com\d|lpt\d)[./]|tmp-sync-)[a-z][a-z0-9_-]{0,59}`;
const PLAIN = new RegExp(String.raw`^(?![memorny0]+\.md$)(?:${SEGMENT}/){0,3}${SEGMENT}\.md$`);

/**
 * Whether no rule can be broken by this key: a thousand of them are judged in the time that the rules take for twenty.
 * False says nothing; the rules decide.
 */
export function isPlainKey(key: string): boolean {
  return PLAIN.test(key);
}
