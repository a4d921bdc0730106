import { writeSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isUnheard, printTo } from "../../server/io.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

vi.mock("node:fs", { spy: true });

const printed: string[] = [];
const fails = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

/** Takes five bytes at a time, as a pipe that is nearly full does. */
function takeFew(_file: number, bytes: unknown, at: unknown): number {
  const few = (bytes as Buffer).subarray(at as number, (at as number) + 5);
  printed.push(few.toString());
  return few.length;
}

beforeEach(() => {
  printed.length = 0;
  vi.mocked(writeSync).mockReset().mockImplementation(takeFew);
});

describe("printTo", () => {
  it("writes all of it, also where the pipe takes little or nothing for the moment", () => {
    vi.mocked(writeSync).mockImplementationOnce(fails("EAGAIN"));
    printTo(false).result({}, ["the first line", "the second line"]);
    expect(printed.join("")).toBe("the first line\nthe second line\n");
    expect(printed.length).toBeGreaterThan(1);
  });

  it.each([
    ["EPIPE", "disk", true],
    ["EIO", "disk", false],
    ["ENOSPC", "disk_full", false],
  ])("says of an answer that %s keeps from everybody that it is %s", (errno, code, unheard) => {
    vi.mocked(writeSync).mockImplementation(fails(errno));
    const error = caught(() => printTo(true).result({ token: "a token" }, []));
    expect([error.code, isUnheard(error), error.row.exit]).toEqual([code, unheard, 8]);
    expect(JSON.stringify(error.details) + error.message).not.toContain("a token");
  });

  it("fails at nothing on standard error", () => {
    vi.mocked(writeSync).mockImplementation(fails("EPIPE"));
    expect(() => printTo(false).err("x")).not.toThrow();
  });
});

describe("isUnheard", () => {
  it("is no other failure", () => {
    expect(isUnheard(new TeamMemoryError("disk", "x", { details: { errno: "EACCES" } }))).toBe(false);
    expect(isUnheard(new TeamMemoryError("internal", "x", { details: { errno: "EPIPE" } }))).toBe(false);
  });
});

function caught(call: () => void): TeamMemoryError {
  try {
    call();
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
