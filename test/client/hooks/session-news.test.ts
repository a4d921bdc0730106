import { describe, expect, it } from "vitest";
import { cutLine, toSessionNews } from "../../../client/hooks/session-news.ts";
import { NOTHING_NEW, type PullReport } from "../../../client/sync/report.ts";
import { LIMITS } from "../../../shared/limits.ts";

const { hookKeysNamedMax, hookLineLengthMax, hookNotesMax } = LIMITS;
const WAITING = "Something waits for the user: team-memory status";

function reportOf(parts: Partial<PullReport>): PullReport {
  return { ...NOTHING_NEW, kind: "pulled", ...parts };
}

function arrivedOf(keys: readonly string[]): string {
  return toSessionNews(reportOf({ changes: keys.map((key) => ({ key, what: "new" as const })) })).arrived;
}

describe("toSessionNews", () => {
  it("has nothing to say without a pull, and of one that brought nothing", () => {
    expect(toSessionNews(null)).toEqual({ arrived: "", notes: [] });
    expect(toSessionNews(NOTHING_NEW)).toEqual({ arrived: "", notes: [] });
  });

  it("names what is new or changed, not what was restored or removed", () => {
    const changes = (["new", "changed", "restored", "removed", "removal_dropped"] as const).map((what) => ({
      key: `${what}.md`,
      what,
    }));
    expect(toSessionNews(reportOf({ changes })).arrived).toBe(
      "New or changed since the last session: new.md, changed.md",
    );
  });

  it.each<[string, Partial<PullReport>]>([
    ["a conflict", { changes: [{ key: "a.md", what: "conflict" }] }],
    ["what could not be placed", { unplaced: [{ key: "a.md", because: "not_a_file" }] }],
  ])("says that %s waits for the user, without its key", (_, parts) => {
    expect(toSessionNews(reportOf(parts))).toEqual({ arrived: "", notes: [WAITING] });
  });

  it("names keys up to the bound and counts the rest", () => {
    const keys = Array.from({ length: hookKeysNamedMax + 2 }, (_, at) => `${at}.md`);
    expect(arrivedOf(keys.slice(0, hookKeysNamedMax))).toMatch(/: 0\.md, .*, 9\.md$/);
    expect(arrivedOf(keys)).toMatch(/: 0\.md, .*, 9\.md and 2 more$/);
  });

  it("names whole keys only, as many as there is room for", () => {
    const long = `${"k".repeat(hookLineLengthMax)}.md`;
    expect(arrivedOf(["a.md", long, "b.md"])).toMatch(/: a\.md and 2 more$/);
    expect(arrivedOf([long])).toMatch(/: 1, see team-memory status$/);
  });

  it("tells so many notes, each cut at the bound, and counts the rest", () => {
    const note = "n".repeat(hookLineLengthMax + 1);
    const all = Array.from({ length: hookNotesMax }, () => note);
    const cut = `${"n".repeat(hookLineLengthMax - 1)}…`;
    expect(toSessionNews(reportOf({ notes: all })).notes).toEqual(all.map(() => cut));
    expect(toSessionNews(reportOf({ notes: [...all, note] })).notes.at(-1)).toBe(
      "1 more of this kind: team-memory pull",
    );
  });
});

describe("cutLine", () => {
  it("keeps what is as long as the bound, and never half a character", () => {
    const whole = "x".repeat(hookLineLengthMax);
    expect(cutLine(whole)).toBe(whole);
    expect(cutLine(`${whole}x`)).toHaveLength(hookLineLengthMax);
    expect(cutLine(`${"x".repeat(hookLineLengthMax - 2)}😀x`)).toBe(`${"x".repeat(hookLineLengthMax - 2)}…`);
  });
});
