/**
 * Keys that could be judged either way, with what we decided and why. A decision is a rule for a kind of key; each row
 * also has keys of the kind that the corpus does not have.
 */
import { describe, expect, it } from "vitest";
import { DEBATABLE_KEYS } from "./corpora.ts";
import { brokenRule } from "./support.ts";

interface Decision {
  readonly topic: string;
  /** The rule that refuses the kind; null where it is accepted. */
  readonly rule: string | null;
  readonly reason: string;
  readonly also?: readonly string[];
}

const DECISIONS: readonly Decision[] = [
  {
    topic: "emoji ZWJ sequence",
    rule: null,
    reason: "emoji are names that people use; a joiner between two pictographs is seen, and the set rules fold it away",
    also: ["👩‍❤️‍💋‍👨.md", "🏴‍☠️/pirates.md", "👩🏽‍💻.md", "🙂‍↔️.md"],
  },
  {
    topic: "emoji with U+FE0F",
    rule: null,
    reason: "every keyboard types it; right after a pictograph it is seen, and ⚠.md against ⚠️.md is a collision",
    also: ["☎️.md", "#️⃣.md", "a 1️⃣ b.md"],
  },
  {
    topic: "a joiner or selector outside a well-formed emoji",
    rule: "R-INVIS",
    reason: "it stands for nothing that is seen: a second key for one name, and HFS+ drops the joiner",
    also: [
      "a\u200db.md",
      "a\ufe0f.md",
      "1\ufe0f.md",
      "👩\u200d.md",
      "\u200d👩.md",
      "👩\u200d\u200d👦.md",
      "❤\ufe0f\ufe0f.md",
      "☎\ufe0e.md",
    ],
  },
  {
    topic: "ZWNJ in Persian and Indic words",
    rule: "R-INVIS",
    reason: "HFS+ ignores it, so .g‌it is .git there; the word is readable without it",
  },
  { topic: "flag tag sequences", rule: "R-INVIS", reason: "tag characters carry text that nobody sees" },
  {
    topic: "fullwidth punctuation in CJK titles",
    rule: "R-NFKC",
    reason: "NFKC turns it into : ? ~ % or . which later layers take for structure",
    also: ["ｗｈａｔ＊.md", "a＜b.md", "a｜b.md"],
  },
  {
    topic: "fullwidth letters, digits and brackets",
    rule: null,
    reason: "NFKC changes letters, not structure; the ASCII twin is a collision",
    also: ["［草案］.md", "Ａ＆Ｂ.md"],
  },
  {
    topic: "ellipsis in a title",
    rule: "R-LOOKALIKE",
    reason: "NFKC makes three dots of it",
    also: ["a…b.md", "a‥b.md"],
  },
  { topic: "ideographic space inside", rule: null, reason: "how Japanese titles are typed" },
  {
    topic: "ideographic full stop inside",
    rule: null,
    reason: "it ends Chinese and Japanese sentences; at the start of a segment it imitates a dot and is refused",
    also: ["好。不好.md"],
  },
  {
    topic: "ideographic full stop first",
    rule: "R-LOOKALIKE",
    reason: "it imitates a dot there",
    also: ["。。/x.md", "。git/x.md"],
  },
  {
    topic: "NBSP inside",
    rule: "R-SPACE",
    reason: "looks like a space: a second key for one name",
    also: ["a\u2009b.md", "a\u202fb.md", "a\u1680b.md"],
  },
  { topic: "ligatures and sharp s", rule: null, reason: "names people have; what APFS folds is a collision" },
  {
    topic: "fractions and superscripts",
    rule: null,
    reason: "NFKC gives no ASCII structure",
    also: ["⅓.md", "E=mc².md"],
  },
  { topic: "compatibility ideographs", rule: "R-NFC", reason: "NFC itself changes them" },
  { topic: "CJK yen and won signs", rule: null, reason: "a backslash in old code pages alone; Node uses wide names" },
  { topic: "colon look-alikes", rule: "R-LOOKALIKE", reason: "used to imitate a colon", also: ["a˸b.md", "a⁚b.md"] },
  {
    topic: "punctuation that a script needs and that resembles a colon or dot",
    rule: null,
    reason: "words are written with it",
    also: ["अतः.md", "סוף׃.md", "وقف۔.md", "カタカナノート.md"],
  },
  { topic: "three dots and .md", rule: "R-DOTFILE", reason: "a segment that starts with a dot is hidden" },
  { topic: "upper-case extension", rule: "R-EXT", reason: "a second spelling of every key" },
  { topic: "other Markdown extensions", rule: "R-EXT", reason: "one extension, so that one scan finds all memories" },
  { topic: "dir whose name ends in .md", rule: null, reason: "legal; beside a file of that name it is a collision" },
  { topic: "8.3-shaped ordinary names", rule: "R-83", reason: "may be another memory where NTFS keeps short names" },
  { topic: "tilde first", rule: "R-TILDE", reason: "expanded wherever a shell sees it" },
  { topic: "trailing tilde", rule: "R-EXT", reason: "an editor's backup" },
  { topic: "percent followed by two hex digits", rule: "R-PCT", reason: "not to be told from an escape" },
  { topic: "double percent", rule: "R-PCT", reason: "half of a double encoding" },
  {
    topic: "percent-delimited Windows variables",
    rule: null,
    reason: "cmd.exe alone expands them; no shell is ever called",
  },
  { topic: "dollar and backtick shell syntax", rule: null, reason: "no shell is ever called" },
  {
    topic: "encodings nobody decodes",
    rule: null,
    reason: "no layer decodes them",
    also: ["&period;x.md", "\u{1f4a9}=20.md"],
  },
  { topic: "COM0 and LPT0", rule: "R-WINRES", reason: "older Windows lists them; nobody misses the names" },
  {
    topic: "leading or trailing underscore family",
    rule: null,
    reason: "only the exact segment __proto__ is a property",
  },
  {
    topic: "case variants of the index file",
    rule: "R-RESERVED",
    reason: "on a disk that ignores case it is the generated index",
    also: ["MEMORY.md", "mEMORY.md", "ＭＥＭＯＲＹ.md", "memory.md/x.md"],
  },
  {
    topic: "case variants of the index file, upper-case extension",
    rule: "R-EXT",
    reason: "refused for its extension before",
    also: ["MEMORY.MD", "memory.mD"],
  },
  {
    topic: "nested MEMORY.md",
    rule: null,
    reason: "the index is the one at the root; below a folder it is a memory like any other",
    also: ["memory/memory.md", "a/MEMORY.md"],
  },
  {
    topic: "homoglyph of MEMORY.md",
    rule: "R-HOMOGLYPH",
    reason: "read as the index by a person; the one name whose look-alikes are refused",
    also: ["ᎷᎬᎷՕᎡᎽ.md", "mеmоrу.md", "MEM0RY.md", "МEMORY.md/x.md", "ᴍᴇᴍᴏʀʏ.md"],
  },
  { topic: "mixed script ordinary name", rule: null, reason: "common in real teams" },
  {
    topic: "many combining marks",
    rule: "R-MARK",
    reason: "four in a row draw over the lines around; no script needs them",
  },
  { topic: "leading combining mark", rule: "R-MARK", reason: "joins the slash or quote before it" },
  { topic: "combining solidus overlay", rule: "R-LOOKALIKE", reason: "draws a slash" },
  {
    topic: "braille blank and other blanks",
    rule: "R-INVIS",
    reason: "no ink",
    also: ["a\u{1d159}.md", "a\u{13441}b.md"],
  },
  { topic: "interlinear annotation, object replacement", rule: "R-INVIS", reason: "format characters" },
  {
    topic: "unassigned code points",
    rule: null,
    reason: "which are assigned depends on the runtime, and two machines must not disagree",
  },
  {
    topic: "very long key under PATH_MAX",
    rule: null,
    reason: "one bound for all platforms; Node reaches long paths on Windows",
  },
  {
    topic: "component of exactly 255 bytes",
    rule: null,
    reason: "every disk takes it; temporary names are not made from it",
  },
  { topic: "eCryptfs limit", rule: null, reason: "rare; there the disk's own error is shown and nothing half applied" },
  { topic: "double extension hiding", rule: null, reason: "it ends in .md, and nothing runs it" },
  { topic: "trailing-dot directory in other tools' tests", rule: "R-TRAIL", reason: "Windows strips the dots" },
  { topic: "dash-only or dash after dir", rule: "R-DASH", reason: "an option to any command that gets the name" },
  {
    topic: "path that equals the lock or temp pattern",
    rule: "R-OWN",
    reason: "names that locks and temporary files have",
  },
  { topic: "curly, pipe-free glob sets", rule: null, reason: "git gets literal pathspecs, nothing else globs" },
  { topic: "names git ref syntax would parse", rule: null, reason: "a key is never used as a revision" },
  { topic: "URL-significant characters", rule: null, reason: "encoded per segment in URLs" },
  { topic: "RTL script without controls", rule: null, reason: "two scripts of the world are written so" },
  { topic: "dotted capital I", rule: null, reason: "the fold knows no locale" },
];

/** Keys whose topic holds two kinds: refused by another rule than the rest, or the first of two rules that they break. */
const OTHER_RULE: Readonly<Record<string, string>> = {
  "MEMORY.Md": "R-EXT",
  "team/memory.MD": "R-EXT",
  "v1．2.md": "R-LOOKALIKE",
  "Z\u0336\u0321\u0335\u0322\u0334a\u0337\u0348\u0338l.md": "R-LOOKALIKE",
  "\u0338x.md": "R-LOOKALIKE",
};

describe("sanitizePathKey, the debatable keys", () => {
  it.each(DECISIONS)("$topic: $rule, because $reason", ({ topic, rule, also = [] }) => {
    const keys = [...DEBATABLE_KEYS.filter((entry) => entry.topic === topic).map(({ key }) => key), ...also];
    expect(keys).not.toEqual([]);
    const broken = keys.map((key) => [key, brokenRule(key)]);
    expect(broken).toEqual(keys.map((key) => [key, OTHER_RULE[key] ?? rule]));
  });

  it("has a decision for every topic of the corpus", () => {
    const decided = new Set(DECISIONS.map(({ topic }) => topic));
    expect(DEBATABLE_KEYS.map(({ topic }) => topic).filter((topic) => !decided.has(topic))).toEqual([]);
  });

  it("differs from the corpus's recommendation for emoji and for length alone", () => {
    const differing = DEBATABLE_KEYS.filter(({ key, recommend }) => {
      return recommend.startsWith("accept") !== (brokenRule(key) === null);
    });
    expect([...new Set(differing.map(({ topic }) => topic))]).toEqual([
      "emoji ZWJ sequence",
      "emoji with U+FE0F",
      "very long key under PATH_MAX",
    ]);
  });
});
