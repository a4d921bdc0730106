import { describe, expect, it } from "vitest";
import { planPrune } from "../../../../client/sync/attic/plan-prune.ts";
import type { AtticText } from "../../../../client/sync/state/list-attic.ts";
import { LIMITS } from "../../../../shared/limits.ts";

const NOW_MS = Date.parse("2026-12-01T00:00:00Z");
const OLD_MS = NOW_MS - LIMITS.atticAgeMsMax - 1;

/** Each has a blob of its own unless the test says otherwise. */
function text(path: string, about: Partial<AtticText> = {}): AtticText {
  return { path, key: "a.md", why: "replaced", atMs: NOW_MS, sizeBytes: 10, ...about };
}

interface World {
  readonly named?: readonly string[];
  readonly served?: readonly string[];
  readonly blobs?: Readonly<Record<string, string | null>>;
}

function prune(texts: readonly AtticText[], { named = [], served = [], blobs = {} }: World = {}): string[] {
  const leaving = planPrune({
    texts: [...texts].sort((a, b) => b.atMs - a.atMs),
    nowMs: NOW_MS,
    named: new Set(named),
    blobOf: (path) => (path in blobs ? (blobs[path] ?? null) : path),
    isElsewhere: (blob) => served.includes(blob),
  });
  return leaving.map(({ path }) => path).sort();
}

describe("planPrune", () => {
  it("lets go of what is older than the attic keeps texts, to the millisecond", () => {
    const atBound = text("at", { atMs: OLD_MS + 1 });
    expect(prune([text("new"), atBound, text("beyond", { atMs: OLD_MS })])).toEqual(["beyond"]);
  });

  it("lets go of the oldest while the attic holds more than it has room for, to the byte", () => {
    const half = LIMITS.atticSizeBytesMax / 2;
    const texts = [text("older", { atMs: NOW_MS - 2, sizeBytes: half }), text("newer", { sizeBytes: half })];
    expect(prune(texts)).toEqual([]);
    expect(prune([...texts, text("between", { atMs: NOW_MS - 1, sizeBytes: 1 })])).toEqual(["older"]);
  });

  it("lets go of the oldest beyond so many texts", () => {
    const texts = Array.from({ length: LIMITS.atticTextsMax + 1 }, (_, at) => text(`t${at}`, { atMs: NOW_MS - at }));
    expect(prune(texts.slice(1))).toEqual([]);
    expect(prune(texts)).toEqual([`t${LIMITS.atticTextsMax}`]);
  });

  it("keeps what a mark names, whatever it is", () => {
    const texts = [text("mine", { atMs: OLD_MS, why: "conflict" }), text("base", { atMs: OLD_MS, why: "base" })];
    expect(prune(texts, { named: ["mine", "base"], served: ["mine"] })).toEqual([]);
    expect(prune(texts, { served: ["mine"] })).toEqual(["base", "mine"]);
  });

  const UNPROPOSED = ["conflict", "written-meanwhile", "found"] as const;

  it.each(UNPROPOSED)("keeps the last copy of an edit that was never proposed: %s", (why) => {
    const edit = text("edit", { atMs: OLD_MS, why });
    expect(prune([edit])).toEqual([]);
    expect(prune([edit], { served: ["edit"] })).toEqual(["edit"]);
    expect(prune([edit], { blobs: { edit: null } })).toEqual([]);
  });

  it("lets one of two copies go, and then keeps the other", () => {
    const first = text("first", { atMs: OLD_MS - 1, why: "conflict" });
    const second = text("second", { atMs: OLD_MS, why: "found" });
    const blobs = { first: "same", second: "same" };
    expect(prune([first, second], { blobs })).toEqual(["first"]);
    expect(prune([second], { blobs })).toEqual([]);
  });

  it("lets a parked text go in its time once a person has decided about it", () => {
    const parked = text("parked", { atMs: OLD_MS - 1, why: "conflict" });
    const blobs = { parked: "same", decided: "same" };
    expect(prune([parked, text("decided", { why: "resolved" })], { blobs })).toEqual(["parked"]);
    expect(prune([parked, text("decided", { atMs: OLD_MS, why: "resolved" })], { blobs })).toEqual([
      "decided",
      "parked",
    ]);
  });

  it("goes past what it keeps to what may go", () => {
    const kept = text("kept", { atMs: OLD_MS - 1, why: "found" });
    expect(prune([kept, text("other", { atMs: OLD_MS })])).toEqual(["other"]);
  });
});
