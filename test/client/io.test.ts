import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Io, openIo } from "../../client/io.ts";

const written: string[] = [];

vi.mock("node:fs", async (original) => ({
  ...(await original<typeof import("node:fs")>()),
  writeSync: (file: number, bytes: Buffer, at: number) => {
    written.push(`${file} ${bytes.subarray(at).toString().trimEnd()}`);
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
