import { describe, expect, it } from "vitest";
import { projectFromRemoteUrl } from "../../../shared/project/from-remote-url.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";

/** Failure case 30: ssh and https forms of one repository, a fork, names that collide, no remote. */
describe("projectFromRemoteUrl", () => {
  it.each([
    "https://github.com/acme/shop",
    "https://github.com/acme/shop.git",
    "https://github.com/acme/shop/",
    "https://github.com/acme/shop.git/",
    "https://github.com:443/acme/shop.git",
    "HTTPS://GitHub.com/Acme/Shop.GIT",
    "https://ada@github.com/acme/shop",
    "https://ada:p%40ss@github.com/acme/shop",
    "https://ada:p@ss:w@github.com/acme/shop",
    "https://x-access-token:ghs_0000@github.com/acme/shop.git",
    "https://github.com./acme/shop",
    "https://github.com//acme//shop",
    "https://github.com/ac%6De/shop",
    "http://github.com:80/acme/shop",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop.git",
    "ssh://git@github.com:0022/acme/shop.git",
    "ssh://git@github.com:/acme/shop.git",
    "ssh://git@ssh.github.com:443/acme/shop.git",
    "git+ssh://git@github.com/acme/shop.git",
    "git://github.com/acme/shop.git",
    "git://github.com:9418/acme/shop.git",
    "git@github.com:acme/shop.git",
    "git@github.com:/acme/shop.git",
    "git@github.com:acme/shop/",
    "GitHub.com:acme/shop",
    "[git@github.com:22]:acme/shop.git",
    "git@[github.com:22]:acme/shop.git",
  ])("gives one name for the repository's forms: %s", (url) => {
    expect(projectFromRemoteUrl(url)).toBe("github.com/acme/shop");
  });

  it.each([
    { url: "https://git.acme.dev:8443/shop.git", name: "git.acme.dev_8443/shop" },
    { url: "ssh://git@git.acme.dev:2222/shop.git", name: "git.acme.dev_2222/shop" },
    { url: "[git@git.acme.dev:2222]:shop.git", name: "git.acme.dev_2222/shop" },
    { url: "ssh://git@github.com:443/acme/shop", name: "github.com_443/acme/shop" },
    { url: "http://127.0.0.1:3000/git/memory.git", name: "127.0.0.1_3000/git/memory" },
    { url: "https://www.github.com/acme/shop", name: "www.github.com/acme/shop" },
    { url: "https://gitlab.com/g/s1/s2/shop.git", name: "gitlab.com/g/s1/s2/shop" },
    { url: "git@altssh.gitlab.com:g/shop.git", name: "altssh.gitlab.com/g/shop" },
    { url: "ssh://git@altssh.gitlab.com:443/g/shop.git", name: "gitlab.com/g/shop" },
    { url: "https://github.com/acme/shop.git.git", name: "github.com/acme/shop.git" },
    { url: "https://github.com/acme/node.js", name: "github.com/acme/node.js" },
    { url: "git@[2001:DB8::1]:acme/shop.git", name: "2001-db8--1.ipv6-literal.net/acme/shop" },
    { url: "ssh://git@[2001:db8:0::1]:22/acme/shop.git", name: "2001-db8--1.ipv6-literal.net/acme/shop" },
    { url: "https://[::1]:8443/shop", name: "0--1.ipv6-literal.net_8443/shop" },
    { url: "https://münchen.example/acme/shop", name: "xn--mnchen-3ya.example/acme/shop" },
    { url: "git@MÜNCHEN.example:acme/shop", name: "xn--mnchen-3ya.example/acme/shop" },
  ])("gives $name for $url", ({ url, name }) => {
    expect(projectFromRemoteUrl(url)).toBe(name);
    expect(parseProjectName(name)).toBe(name);
  });

  it.each([
    ["no address", ""],
    ["a local path", "/srv/git/shop.git"],
    ["a relative path", "../shop.git"],
    ["a bare folder", "shop"],
    ["a path with a colon behind a slash", "./git:shop"],
    ["a drive", "C:\\git\\shop"],
    ["a drive with slashes", "c:/git/shop"],
    ["a UNC path", "\\\\server\\share\\shop"],
    ["file://", "file:///srv/git/shop.git"],
    ["file:// with a host", "file://server/git/shop.git"],
    ["a helper that runs a program", "ext::sh -c id"],
    ["a helper over https", "foo::https://github.com/acme/shop"],
    ["an option", "--upload-pack=id"],
    ["an option as host", "ssh://-oProxyCommand=id/acme/shop"],
    ["an option as scp host", "git@-oProxyCommand=id:acme/shop"],
    ["an unknown scheme", "ftp://github.com/acme/shop"],
    ["no path", "https://github.com"],
    ["no path but a slash", "https://github.com/"],
    ["nothing but .git", "https://github.com/.git"],
    ["nothing after the colon", "git@github.com:"],
    ["no host", "https:///acme/shop"],
    ["no host but a user", "https://ada@/acme/shop"],
    ["a port that is none", "https://github.com:99x/acme/shop"],
    ["a port out of range", "ssh://github.com:99999/acme/shop"],
    ["a query", "https://github.com/acme/shop?x=1"],
    ["a query in the host", "git@github.com?x:acme/shop"],
    ["a tab in the host", "https://git\thub.com/acme/shop"],
    ["an encoded letter in the host", "https://git%68ub.com/acme/shop"],
    ["a backslash before an @", "https://github.com\\@evil.example/acme/shop"],
    ["an encoded slash", "https://github.com/acme%2Fshop"],
    ["a broken escape", "https://github.com/acme/%ff"],
    ["dots that climb", "https://github.com/acme/../shop"],
    ["encoded dots that climb", "https://github.com/acme/%2e%2e/shop"],
    ["a home folder", "ssh://git@host.example/~ada/shop"],
    ["a space", "https://dev.example/my%20team/shop"],
    ["a newline", "https://github.com/acme/shop\n"],
    ["a NUL", "https://github.com/acme/shop\0"],
    ["letters of other scripts", "https://github.com/\u0430cme/shop"],
    ["a host that reads like one with a port", "https://git_8443/acme/shop"],
    ["an scp host that reads like one with a port", "git_8443:acme/shop"],
    ["too long", `https://github.com/${"a".repeat(300)}`],
    ["too deep", `https://github.com/${"a/".repeat(20)}`],
  ])("gives null for %s: %j", (_what, url) => expect(projectFromRemoteUrl(url)).toBeNull());

  it("keeps apart what differs in host, port, group or repository", () => {
    const urls = [
      "https://github.com/acme/shop",
      "https://github.com:8443/acme/shop",
      "https://github.com/acme-shop",
      "https://github.com/acme/shop-2",
      "https://github.com/fork/shop",
      "https://gitlab.com/acme/shop",
      "https://acme/github.com/shop",
      "https://github.com/acme/team/shop",
    ];
    expect(new Set(urls.map(projectFromRemoteUrl)).size).toBe(urls.length);
  });

  it.each([
    "GitHub.com",
    "a.b",
    "git-1.acme.example",
    "a--b.example",
    "0x7f.1",
    "a.0x7f",
    "1.2",
    "xn--mnchen-3ya.example",
    "a.xn--mnchen-3ya",
    "a.xn--0",
    "localhost",
  ])("gives the host %s the one spelling that URL gives it, or none", (host) => {
    const url = URL.canParse(`https://${host}/`) ? new URL(`https://${host}/`).hostname : null;
    expect(projectFromRemoteUrl(`https://${host}/acme/shop`)).toBe(url === null ? null : `${url}/acme/shop`);
  });

  it.each([
    "a".repeat(1_000_000),
    "@".repeat(1_000_000),
    `https://${"@:".repeat(500_000)}`,
    `[${"[:".repeat(500_000)}`,
    `h:${"%".repeat(1e6)}`,
  ])("answers on a megabyte of nonsense at once: %#", (url) => {
    const started = performance.now();
    expect(projectFromRemoteUrl(url)).toBeNull();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
