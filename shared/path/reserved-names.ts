import { foldKey } from "./key-set.ts";

/**
 * The generated index is `MEMORY.md` at the root of the team directory, so that name is taken there: in any case, as a
 * folder, in any form that folds to it, and drawn with letters of other scripts. `projects/MEMORY.md` is a memory like
 * any other.
 */
const INDEX_NAME = foldKey("MEMORY.md");

export function isIndexName(key: string): boolean {
  return foldKey(rootSegment(key)) === INDEX_NAME;
}

/** Whether a person would read the key's root segment as the index's name, though no disk does. */
export function imitatesIndexName(key: string): boolean {
  return skeletonOf(rootSegment(key)) === INDEX_NAME && !isIndexName(key);
}

/**
 * Characters drawn like the letters of that one name, after Unicode's list of confusables. All other names may mix
 * scripts as they like.
 */
const DRAWN_LIKE = {
  M: "\u039c\u03fa\u041c\u13b7\u15f0\u16d6\u2c98\ua4df\u1d0d\u{102b0}\u{10311}",
  E: "\u0395\u0415\u04bd\u13ac\u212e\u22ff\u2d39\ua4f0\uab32\u1d07\u{10286}\u{118a6}\u{118ae}",
  O:
    "0\u039f\u03c3\u041e\u0555\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u07c0\u0966\u09e6\u0a66\u0ae6\u0b20\u0b66" +
    "\u0be6\u0c66\u0ce6\u0d20\u0d66\u0e50\u0ed0\u101d\u1040\u10ff\u12d0\u1d0f\u1d11\u2c9e\u2d54\u3007\ua4f3\uab3d" +
    "\u{10292}\u{102ab}\u{10404}\u{104c2}\u{10516}\u{114d0}\u{118b5}\u{118c8}\u{118d7}\u{118e0}",
  R: "\u01a6\u0280\u0413\u13a1\u13d2\u1587\u1d26\u2c84\ua4e3\uab47\uab48\uab81\u{104b4}\u{16f35}\u{1d216}",
  Y:
    "\u0263\u028f\u03a5\u0393\u0423\u04ae\u10e7\u13a9\u13bd\u1d8c\u1efe\u2ca8\ua4ec\uab5a" +
    "\u{102b2}\u{118a4}\u{118dc}\u{16f43}",
} as const;

function skeletonOf(segment: string): string {
  latinByTwin ??= foldTwins();
  const latin = latinByTwin;
  const drawn = [...foldKey(segment)].map((character) => latin.get(character) ?? character);
  return drawn.join("").replaceAll("RN", "M");
}

/** Made for the first key that gets so far, which hardly any does: every pull would wait for it. */
let latinByTwin: ReadonlyMap<string, string> | null = null;

function foldTwins(): ReadonlyMap<string, string> {
  const pairs = Object.entries(DRAWN_LIKE).flatMap(([latin, twins]) =>
    [...twins].map((twin) => [foldKey(twin), latin] as const),
  );
  return new Map(pairs);
}

function rootSegment(key: string): string {
  return key.replace(/\/.*/su, "");
}
