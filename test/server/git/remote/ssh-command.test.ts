import { describe, expect, it } from "vitest";
import {
  DEFAULT_SSH_FILES,
  isSshPath,
  type SshFiles,
  toSshCommand,
} from "../../../../server/git/remote/ssh-command.ts";
import { mustRun } from "../../../support/run.ts";

/** What ssh makes of the line: its settings for one host, by name. */
async function settingsOf(files: SshFiles): Promise<ReadonlyMap<string, string>> {
  const env = { PATH: process.env["PATH"] ?? "", SSH_AUTH_SOCK: "/tmp/agent" };
  const { stdout } = await mustRun("sh", ["-c", `${toSshCommand(files)} -G git.example.org`], { cwd: "/", env });
  return new Map(stdout.split("\n").map((line) => [line.split(" ")[0] ?? "", line.slice(line.indexOf(" ") + 1)]));
}

describe("toSshCommand", () => {
  it("asks nobody, believes no unknown host, and hears no agent and no configuration", async () => {
    const settings = await settingsOf(DEFAULT_SSH_FILES);
    expect(Object.fromEntries(settings)).toMatchObject({
      batchmode: "yes",
      stricthostkeychecking: "true",
      updatehostkeys: "false",
      identityagent: "none",
      clearallforwardings: "yes",
    });
    expect(toSshCommand(DEFAULT_SSH_FILES)).toMatch(/^ssh -F\/dev\/null /);
  });

  it("uses the named key and the named hosts alone", async () => {
    const settings = await settingsOf({ keyPath: "/srv/keys/m\u00fcll_1.key", knownHostsPath: "/srv/known-hosts" });
    expect(Object.fromEntries(settings)).toMatchObject({
      identityfile: "/srv/keys/m\u00fcll_1.key",
      identitiesonly: "yes",
      userknownhostsfile: "/srv/known-hosts",
      globalknownhostsfile: "/dev/null",
    });
  });
});

describe("isSshPath", () => {
  it.each(["/a b", "/a'b", '/a"b', "/$(id)", "/%h", "/~/a", "/a;b", "/a\\b", "/a\nb", "/a`b`", "/$HOME", "/*", ""])(
    "refuses %j",
    (path) => expect(isSshPath(path)).toBe(false),
  );
});
