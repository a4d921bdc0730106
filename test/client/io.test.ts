import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Io, openIo } from "../../client/io.ts";

const written: string[] = [];

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  writeSync: (file: number, bytes: Buffer, at: number) => {
    written.push(`${file} ${bytes.subarray(at).toString().replace(/\n$/, "")}`);
    return bytes.length - at;
  },
}));

describe("progress", () => {
  let io: Io;

  beforeEach(() => {
    vi.useFakeTimers();
    written.length = 0;
    io = openIo({ json: false, now: () => performance.now() });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("says after a second what is going on then, on standard error", () => {
    io.progress("Waiting for another run");
    vi.advanceTimersByTime(500);
    io.progress("Waiting for the service");
    vi.advanceTimersByTime(499);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(["2 Waiting for the service"]);
  });

  it("says at once what goes on after that", () => {
    vi.advanceTimersByTime(1_000);
    io.progress("Looking at 9 memories");
    expect(written).toEqual(["2 Looking at 9 memories"]);
  });

  it("says nothing of a command that is done by then", () => {
    io.progress("Waiting for the service");
    io.result({}, ["Nothing new"]);
    vi.advanceTimersByTime(2_000);
    expect(written).toEqual(["1 Nothing new"]);
  });
});

describe("what leaves", () => {
  const HOSTILE = "a\nteam-memory: done\u{e0041}\u202e";
  const SPELLED = "a\\u{a}team-memory: done\\u{e0041}\\u{202e}";

  beforeEach(() => {
    written.length = 0;
  });

  it.each<[string, (io: Io) => void, string]>([
    ["out", (io) => io.out(HOSTILE), `1 ${SPELLED}`],
    ["err", (io) => io.err(HOSTILE), `2 ${SPELLED}`],
    ["result", (io) => io.result({}, [HOSTILE]), `1 ${SPELLED}`],
    ["progress", (io) => io.progress(HOSTILE), `2 ${SPELLED}`],
  ])("is one line that a terminal shows as it is, by %s", (_, print, line) => {
    print(openIo({ json: false, now: startedLongAgo() }));
    expect(written).toEqual([line]);
  });

  it.each<[string, (io: Io) => void]>([
    ["result", (io) => io.result({ text: HOSTILE }, [])],
    ["outJson", (io) => io.outJson(JSON.stringify({ text: HOSTILE }))],
  ])("is the very data to a program, and nothing to a terminal, by %s", (_, print) => {
    print(openIo({ json: true }));
    const [line = ""] = written;
    expect(JSON.parse(line.slice(2))).toEqual({ text: HOSTILE });
    expect(line).toMatch(/^[ -~]+$/);
  });
});

/** The first time of asking is the start. */
function startedLongAgo(): () => number {
  const times = [0];
  return () => times.pop() ?? 60_000;
}
