import { describe, expect, it } from "vitest";
import { toRemedy } from "../../server/to-remedy.ts";
import { ERROR_CODES, type ErrorCode } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

describe("toRemedy", () => {
  it("is the error's own usage, where it has one", () => {
    const error = new TeamMemoryError("usage", "x", { details: { usage: "team-memory-server backup FILE" } });
    expect(toRemedy(error)).toBe("team-memory-server backup FILE");
  });

  /** What the commands of the service throw, and reading their settings, folders and remotes. */
  it.each([
    "usage",
    "bad_request",
    "too_large",
    "not_found",
    "secret_found",
    "lost_race",
    "unavailable",
    "timeout",
    "behind",
    "remote_unreachable",
    "remote_denied",
    "remote_host_key",
    "remote_refused",
    "base_held",
    "disk",
    "disk_full",
    "data_folder_busy",
    "target_exists",
    "address_in_use",
    "repository_damaged",
    "config_invalid",
    "git_required",
    "internal",
  ] satisfies readonly ErrorCode[])("of %s speaks to whoever typed a command, not to a client", (code) => {
    const remedy = toRemedy(new TeamMemoryError(code, "x"));
    expect(remedy).not.toMatch(/named field|request id|Retry-After|your token|your texts|split it|whoever runs/);
    expect(remedy.length).toBeGreaterThan(10);
  });

  it.each([
    ["base", "not_found", "team-memory-server base show"],
    ["people", "not_found", "team-memory-server people list"],
    ["token", "not_found", "team-memory-server token list"],
    ["invite", "not_found", "team-memory-server token list"],
    ["restore", "not_found", "the path of the backup"],
    ["restore", "target_exists", "--data a folder"],
    ["backup", "not_found", "that folder"],
    ["backup", "target_exists", "--force"],
    ["constructor", "not_found", "team-memory-server token list"],
  ] as const)("for %s says of %s what helps there", (command, code, words) => {
    expect(toRemedy(new TeamMemoryError(code, "x"), command)).toContain(words);
  });

  it("for restore never names a flag of backup", () => {
    expect(toRemedy(new TeamMemoryError("target_exists", "x"), "restore")).not.toMatch(/force|backup/);
  });

  it("is the row's for the others", () => {
    expect(toRemedy(new TeamMemoryError("disk", "x"))).toBe(ERROR_CODES.disk.remedy);
  });
});
