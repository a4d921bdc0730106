import { describe, expect, it } from "vitest";
import { translateGitError } from "../../../server/git/translate-git-error.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";

const withCode = (code: string) => Object.assign(new Error("its own words, and a secret"), { code });

describe("translateGitError", () => {
  it.each([
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["EACCES", "disk"],
    ["EIO", "disk"],
    ["EMFILE", "unavailable"],
    ["NotFoundError", "not_found"],
    ["DecompressionError", "repository_damaged"],
    ["InternalError", "repository_damaged"],
    ["SomethingNew", "internal"],
  ])("makes %s %s, keeping the cause and not its words", (theirs, ours) => {
    const cause = withCode(theirs);
    const error = translateGitError(cause, "write a memory");
    expect(error).toMatchObject({ code: ours, cause, message: `could not write a memory (${theirs})` });
  });

  it.each([
    ["an error without a code", new Error("x")],
    ["a thrown text", "x"],
    ["nothing", undefined],
  ])("makes %s internal", (_, thrown) => {
    expect(translateGitError(thrown, "do it")).toMatchObject({ code: "internal", message: "could not do it" });
  });

  it("leaves our own errors alone", () => {
    const ours = new TeamMemoryError("too_large", "x");
    expect(translateGitError(ours, "do it")).toBe(ours);
  });
});
