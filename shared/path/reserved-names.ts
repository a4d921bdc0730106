import { foldKey } from "./key-set.ts";

const INDEX_FOLDED = foldKey("MEMORY.md");

/** Only the index at the root is one: `projects/MEMORY.md` is an ordinary memory. As a folder the name is taken too. */
export function isIndexName(key: string): boolean {
  return foldKey(rootSegment(key)) === INDEX_FOLDED;
}

/** Letters of other scripts drawn like those of the index's name, in folded form. Checked for this one name alone. */
const DRAWN_LIKE: Readonly<Record<string, string>> = {
  M: "\u041c\u039c\u03fa\u13b7\ua4df\u2c98\u1d0d\u16d6",
  E: "\u0415\u0395\u13ac\ua4f0\u1d07",
  O: "\u041e\u039f\u0555\ua4f3\u2c9e\u1d0f0",
  R: "\u13a1\ua4e3\u01a6\u0280\u0413\u1d26",
  Y: "\u0423\u04ae\u03a5\u13bd\ua4ec\u2ca8\u028f",
};

export function imitatesIndexName(key: string): boolean {
  return skeletonOf(rootSegment(key)) === INDEX_FOLDED && !isIndexName(key);
}

function skeletonOf(segment: string): string {
  return [...foldKey(segment)].map((letter) => LATIN.get(letter) ?? letter).join("");
}

const LATIN = new Map(
  Object.entries(DRAWN_LIKE).flatMap(([latin, twins]) => [...twins].map((twin) => [foldKey(twin), latin] as const)),
);

function rootSegment(key: string): string {
  return key.split("/", 1)[0] ?? "";
}
