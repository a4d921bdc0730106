import { describe, expect, it } from "vitest";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { codeOf, toDiskError } from "../../../shared/path/disk-error.ts";

describe("toDiskError", () => {
  it.each([
    { code: "ENOSPC", expected: "disk_full" },
    { code: "EDQUOT", expected: "disk_full" },
    { code: "EACCES", expected: "disk" },
    { code: "EROFS", expected: "disk" },
    { code: "EIO", expected: "disk" },
  ])("turns $code into $expected, naming the path and keeping the cause", ({ code, expected }) => {
    const cause = Object.assign(new Error(code), { code });
    expect(toDiskError(cause, "write", "/m/team/\u001ba.md")).toMatchObject({
      code: expected,
      message: "Cannot write: /m/team/\\u{1b}a.md",
      details: { path: "/m/team/\\u{1b}a.md", reason: code },
      cause,
    });
  });

  it("leaves an error of the house as it is", () => {
    const error = new TeamMemoryError("too_large", "Cannot read a file of more than 3 bytes");
    expect(toDiskError(error, "read", "/m")).toBe(error);
  });

  it("calls a failure without a code unknown", () => {
    expect(codeOf(new Error("odd"))).toBe("UNKNOWN");
    expect(codeOf("odd")).toBe("UNKNOWN");
  });
});
