/**
 * What a key must not be, one small rule a row, each with the attack that it stops. The rules are properties and classes, not
 * lists of known hostile names; what could be judged either way is decided, with the reason, in the test of the debatable
 * keys. `.git` in all the spellings that git refuses needs no rule of its own: R-DOTFILE has the plain ones, R-INVIS
 * those that HFS+ reads so, R-TRAIL, R-COLON and R-83 those of NTFS, R-NFKC the rest.
 */
import { LIMITS } from "../limits.ts";
import { hasInvisible, hasLookalike, withoutEmojiJoiners } from "./characters.ts";
import { imitatesIndexName, isIndexName } from "./reserved-names.ts";

export interface KeyRule {
  readonly id: string;
  /** The end of the sentence "this key …". */
  readonly reason: string;
  readonly isBroken: (key: string) => boolean;
}

const matches = (pattern: RegExp) => (key: string) => pattern.test(key);
const someSegment = (isBroken: (segment: string) => boolean) => (key: string) => key.split("/").some(isBroken);
const sizeBytes = (text: string) => new TextEncoder().encode(text).length;

/** Asked first, so that everything after it runs on a short text. */
const BOUNDS: readonly KeyRule[] = [
  { id: "R-TYPE", reason: "is empty", isBroken: (key) => key === "" },
  {
    id: "R-LEN",
    reason: "is too long",
    isBroken: (key) =>
      key.length > LIMITS.keySizeBytesMax ||
      sizeBytes(key) > LIMITS.keySizeBytesMax ||
      key.split("/").some((segment) => sizeBytes(segment) > LIMITS.keySegmentSizeBytesMax),
  },
  { id: "R-DEPTH", reason: "has too many folders", isBroken: (key) => key.split("/").length > LIMITS.keyDepthMax },
];

const CHARACTERS: readonly KeyRule[] = [
  // Attack: C code behind the file system ends the name at the NUL; `a.md\0.png` passes one check and becomes another file.
  { id: "R-NUL", reason: "has a NUL", isBroken: matches(/\0/u) },
  // Attack: terminal escapes, forged log lines, names cut at the newline by line-based tools.
  { id: "R-CTRL", reason: "has a control character", isBroken: matches(/[\p{Cc}\p{Zl}\p{Zp}]/u) },
  // Attack: every lone surrogate becomes U+FFFD on disk: two keys, one file, the second write wins.
  { id: "R-SURR", reason: "has half a surrogate pair", isBroken: matches(/\p{Surrogate}/u) },
  // Attack: HFS+ ignores some of them (`.g<ZWNJ>it` is `.git`), bidi controls show `gpj.md` as `dm.jpg`, tags hide text.
  {
    id: "R-INVIS",
    reason: "has an invisible character",
    isBroken: (key) => hasInvisible(withoutEmojiJoiners(key)),
  },
  // Attack: private-use twins of / \ : are mapped back by some layers; U+FFFD shows that the bytes were not UTF-8.
  {
    id: "R-PUA",
    reason: "has a private-use or non-character",
    isBroken: matches(/[\p{Co}\p{Noncharacter_Code_Point}\ufffd]/u),
  },
  // Attack: the separator of Windows.
  { id: "R-BSLASH", reason: "has a backslash", isBroken: matches(/\\/u) },
  // Attack: drive letters, drive-relative paths, NTFS streams (`MEMORY.md:x`), URL schemes, git's pathspec magic.
  { id: "R-COLON", reason: "has a colon", isBroken: matches(/:/u) },
  // Windows cannot store them; `?` and `*` are globs everywhere.
  { id: "R-WINCHAR", reason: "has a character that Windows cannot store", isBroken: matches(/[<>"|?*]/u) },
  // Attack: any layer that decodes once more sees `..` or `/`: single, double, overlong, IIS's %u form, `%%32%65`.
  {
    id: "R-PCT",
    reason: "has a percent sign that reads as an escape",
    isBroken: matches(/%(?:[0-9a-f]{2}|u[0-9a-f]{4}|%)/iu),
  },
  // Attack: looks like a separator, a dot or a colon to the person who reviews it, and is one in legacy code pages.
  { id: "R-LOOKALIKE", reason: "has a look-alike of a slash, dot or colon", isBroken: hasLookalike },
];

const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/iu;

const STRUCTURE: readonly KeyRule[] = [
  // Attack: path.join would keep it, path.resolve would jump to it.
  { id: "R-ABS", reason: "is absolute", isBroken: (key) => key.startsWith("/") },
  // Attack: `a//b` and `a/b` are two keys of one file.
  { id: "R-EMPTYSEG", reason: "has an empty segment", isBroken: someSegment((segment) => segment === "") },
  // Attack: the way out, `../`; and `./`, a second key of one file.
  {
    id: "R-DOTSEG",
    reason: "has a segment of dots",
    isBroken: someSegment((segment) => segment === "." || segment === ".."),
  },
  // Attack: servers in front cut a segment at `;` and see `..`.
  {
    id: "R-PATHPARAM",
    reason: "has dots before a semicolon",
    isBroken: someSegment((segment) => /^\.+;/u.test(segment)),
  },
  // Attack: `.git` and its control files, `.env`, `.claude`, resource forks; also the names of our own temporary files.
  {
    id: "R-DOTFILE",
    reason: "has a segment that starts with a dot",
    isBroken: someSegment((segment) => segment.startsWith(".")),
  },
  // Attack: Win32 strips them: `a.md.` is `a.md`, `.git ` is `.git`.
  {
    id: "R-TRAIL",
    reason: "has a segment that ends in a dot or space",
    isBroken: someSegment((segment) => /[. ]$/u.test(segment)),
  },
  // Attack: imitates another name in every list.
  {
    id: "R-EDGESPACE",
    reason: "has a segment with a space at an edge",
    isBroken: someSegment((segment) => /^\p{White_Space}|\p{White_Space}$/u.test(segment)),
  },
  // Attack: opening it opens a device, in any folder and with any extension.
  { id: "R-WINRES", reason: "has a device name of Windows", isBroken: someSegment((segment) => DEVICE.test(segment)) },
  // Attack: `GIT~1` is `.git` and `FEEDBA~1.md` another memory where NTFS keeps short names.
  {
    id: "R-83",
    reason: "has a segment that is a short name on NTFS",
    isBroken: someSegment((segment) => /^(?=.{3,8}(?:\.|$))[^.]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?$/u.test(segment)),
  },
  // Attack: a shell, or a program that acts like one, expands it to a home.
  {
    id: "R-TILDE",
    reason: "has a segment that starts with ~",
    isBroken: someSegment((segment) => segment.startsWith("~")),
  },
  // Attack: an option of whatever command gets it: `--upload-pack=…`.
  {
    id: "R-DASH",
    reason: "has a segment that starts with -",
    isBroken: someSegment((segment) => segment.startsWith("-")),
  },
  // Attack: sets a prototype in code that nests folders as plain objects.
  { id: "R-PROTO", reason: "has a segment __proto__", isBroken: someSegment((segment) => segment === "__proto__") },
  { id: "R-EXT", reason: "does not end in .md", isBroken: (key) => !key.endsWith(".md") },
  // Attack: on APFS the two spellings are one file.
  { id: "R-NFC", reason: "is not in Unicode form NFC", isBroken: (key) => key !== key.normalize("NFC") },
  // Another space looks like a space: a second key for one name. The ideographic one is how Japanese titles are typed.
  { id: "R-SPACE", reason: "has a space that is not a plain one", isBroken: matches(/(?![ \u3000])\p{Zs}/u) },
  // Attack: draws over the slash or quote before it; a stack of marks draws over the lines around.
  {
    id: "R-MARK",
    reason: "has marks that stand on nothing, or too many on one letter",
    isBroken: matches(/(?:^|\/)\p{M}|[\p{Mn}\p{Me}]{4}/u),
  },
  // The index is generated; at the root its name, a twin on some disk or an imitation must not be synced.
  { id: "R-RESERVED", reason: "is the name of the index", isBroken: isIndexName },
  { id: "R-HOMOGLYPH", reason: "imitates the name of the index", isBroken: imitatesIndexName },
  // Names that synchronising tools give their locks and temporary files, also where they show without their dot.
  {
    id: "R-OWN",
    reason: "has a name kept for locks and temporary files",
    isBroken: someSegment((segment) => /^(?:team\.lock(?:\.|$)|tmp-sync-)/iu.test(segment)),
  },
];

const NFKC: KeyRule = {
  id: "R-NFKC",
  reason: "becomes another path when Unicode form NFKC is applied",
  isBroken: (key) => {
    const written = withoutEmojiJoiners(key);
    const folded = written.normalize("NFKC");
    if (folded === written) return false;
    return structureOf(folded) !== structureOf(written) || ASKED_OF_NFKC.some((rule) => rule.isBroken(folded));
  },
};

// Not the look-alikes: what NFKC makes of a fraction is one, and nothing turns ½ into a separator.
const ASKED_OF_NFKC = [...CHARACTERS, ...STRUCTURE].filter((rule) => rule.id !== "R-LOOKALIKE");

function structureOf(key: string): string {
  return key.replace(/[^/\\.:%~<>"|?*]/gu, "");
}

/** In the order in which they are asked: the first broken one is named. */
export const KEY_RULES: readonly KeyRule[] = [...BOUNDS, ...CHARACTERS, ...STRUCTURE, NFKC];
