import { describe, expect, it } from "vitest";
import { parseRemoteUrl } from "../../../../server/git/remote/parse-remote-url.ts";
import { isTeamMemoryError } from "../../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../../shared/limits.ts";

const PLACES = { folders: ["/data", "/srv/git"] };
const TOKEN = "hunter2hunter2";

describe("parseRemoteUrl", () => {
  it.each([
    ["https://git.example.org/team/memory.git", "http", "https://git.example.org/team/memory.git"],
    ["HTTPS://Git.Example.org:443/team/memory/", "http", "https://git.example.org/team/memory"],
    ["https://git.example.org:8443/m", "http", "https://git.example.org:8443/m"],
    ["http://127.0.0.1:3000/m.git", "http", "http://127.0.0.1:3000/m.git"],
    ["http://localhost/m.git", "http", "http://localhost/m.git"],
    ["http://[::1]:3000/m.git", "http", "http://[::1]:3000/m.git"],
    ["ssh://git@git.example.org:2222/team/memory.git", "ssh", "ssh://git@git.example.org:2222/team/memory.git"],
    ["git@git.example.org:team/memory.git", "ssh", "git@git.example.org:team/memory.git"],
    ["git.example.org:~ann/memory.git", "ssh", "git.example.org:~ann/memory.git"],
    ["/data/bare/memory.git", "file", "/data/bare/memory.git"],
    ["/srv/git/memory.git", "file", "/srv/git/memory.git"],
    ["file:///data/memory.git", "file", "/data/memory.git"],
  ])("takes %s", (text, kind, url) => {
    expect(parseRemoteUrl(text, PLACES)).toEqual({ kind, url });
  });

  it.each([
    ["", "empty"],
    [`https://example.org/${"a".repeat(LIMITS.remoteUrlLengthMax)}`, "longer than"],
    ["https://example.org/a\nb", "characters"],
    ["https://example.org/a b", "characters"],
    ["https://ex\u0430mple.org/a", "characters"],
    ["--upload-pack=touch /tmp/x", "characters"],
    ["--upload-pack=/tmp/x", "dash"],
    ["-oProxyCommand=x:y", "dash"],
    ["ext::sh", "transport helper"],
    ["fd::17/x", "transport helper"],
    ["https::https://example.org/a", "transport helper"],
    ["https://example.org\\@evil.example/a", "backslash"],
    ["ftp://example.org/a", "none of"],
    ["git://example.org/a", "none of"],
    [`https://ann:${TOKEN}@example.org/a`, "password"],
    [`https://${TOKEN}@example.org/a`, "user or a token"],
    [`ssh://git:${TOKEN}@example.org/a`, "password"],
    [`https://example.org/a?token=${TOKEN}`, "query"],
    ["https://example.org/a#b", "query or a fragment"],
    ["https://example.org", "no repository"],
    ["http://example.org/a", "http"],
    ["http://127.0.0.1.evil.example/a", "http"],
    ["http://10.0.0.1/a", "http"],
    ["ssh://-oProxyCommand=x/a", "unusual"],
    ["ssh://-l@example.org/a", "unusual"],
    ["ssh://git@example.org/a;id", "unusual"],
    ["ssh://git@example.org/$(id)", "unusual"],
    ["ssh://git@example.org/%2d", "unusual"],
    ["git@-oProxyCommand=x:a", "unusual"],
    ["-x@example.org:a", "dash"],
    ["git@example.org:-a", "none of"],
    ["git@example.org:a;id", "none of"],
    ["relative/path", "none of"],
    ["./memory.git", "none of"],
    ["/etc/passwd", "outside"],
    ["/data", "outside"],
    ["/database/memory.git", "outside"],
    ["/data/../etc/memory.git", ". or .."],
    ["file:///etc/memory.git", "outside"],
    ["file://host/data/memory.git", "plain path"],
    ["file:///data/%2e%2e/etc", "outside"],
    ["file:///data/..%2fetc", "plain path"],
  ])("refuses %j: %s", (text, rule) => {
    const error = refusalOf(text);

    expect(error).toMatchObject({ code: "config_invalid", message: expect.stringContaining(rule) });
    expect(JSON.stringify([error?.message, error?.details])).not.toContain(TOKEN);
  });
});

function refusalOf(text: string) {
  try {
    parseRemoteUrl(text, PLACES);
    return null;
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
}
