import { execFileSync } from "node:child_process";
import { chmod, mkdir, symlink } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Variables } from "../../../client/config.ts";
import { assertNotSteered } from "../../../client/memory/assert-not-steered.ts";
import { findRepository } from "../../../client/memory/find-git-root.ts";
import { readProjectSettings } from "../../../client/memory/project-settings.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "./support.ts";

interface Look {
  readonly cwd: string;
  readonly folder: string;
  readonly variables?: Variables;
  readonly hostCwd?: string;
}

function look({ cwd, folder, variables = {}, hostCwd }: Look): void {
  const session = { cwd, repository: findRepository(cwd), ...(hostCwd === undefined ? {} : { hostCwd }) };
  assertNotSteered(readProjectSettings(session, machineAt(folder, variables).env));
}

async function shopWith(files: Readonly<Record<string, unknown>>) {
  const folder = await tempDir();
  const shop = await makeRepository(join(folder, "shop"), { "src/cart/index.ts": "", ...files });
  return { folder, shop };
}

const steered = (variable: string | null, file: string) =>
  expect.objectContaining({ code: "steered_environment", details: { file: expect.stringMatching(file), variable } });

const env = (name: string, value: unknown = "/tmp/evil") => ({ env: { [name]: value } });

const STEERING = [
  ["CLAUDE_CONFIG_DIR", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_REMOTE_MEMORY_DIR"],
  ["CLAUDE_PROJECT_DIR", "CLAUDE_CODE_PROJECT_DIR_NAME", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_MODEL"],
  ["TEAM_MEMORY_SERVER", "TEAM_MEMORY_INSECURE", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "NODE_OPTIONS"],
  ["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "GIT_DIR", "GIT_SSH_COMMAND", "LD_PRELOAD", "PATH"],
  ["DYLD_INSERT_LIBRARIES", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "SSL_CERT_FILE", "HTTPS_PROXY", "ALL_PROXY"],
  ["https_proxy", "no_proxy", "Path", "node_options", "BASH_ENV", "OPENSSL_CONF", "VISUAL", "EDITOR"],
  // The resolvers: a search list, other name servers' manners, aliases of hosts, another hosts file
  ["LOCALDOMAIN", "RES_OPTIONS", "HOSTALIASES", "RESOLV_HOST_CONF", "RESOLV_MULTI", "CARES_HOSTS", "NIS_PATH"],
  // The loader and the C library: code, files to read, a file to write
  ["LD_AUDIT", "LD_LIBRARY_PATH", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH", "NLSPATH", "TZDIR", "MALLOC_TRACE"],
  ["MallocStackLogging", "NODE_V8_COVERAGE", "NODE_ICU_DATA", "ICU_TIMEZONE_FILES_DIR", "UV_THREADPOOL_SIZE"],
  // The shell that runs the hook, and what it does first
  [
    "CLAUDE_CODE_SHELL",
    "CLAUDE_CODE_SHELL_PREFIX",
    "ENV",
    "SHELLOPTS",
    "BASH_FUNC_node%%",
    "ZDOTDIR",
    "IFS",
    "PSModulePath",
  ],
  ["SSLKEYLOGFILE", "SSL_CERT_DIR", "OPENSSL_MODULES", "SystemRoot", "SYSTEMDRIVE"],
].flat();

describe("assertNotSteered", () => {
  it.each(STEERING)("refuses project settings that name %s, and never shows the value", (name) => {
    const path = "/shop/.claude/settings.json";
    const judge = () => assertNotSteered([{ path, folder: "/shop", kind: "shared", values: env(name, "hunter2") }]);
    expect(judge).toThrow(steered(name, "shop/.claude/settings.json$"));
    expect(judge).toThrow(new RegExp(`: ${name} in /(?!.*hunter2)`));
  });

  it.each([
    "PAGER",
    "MY_EDITOR",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "MY_HOME",
    "DATABASE_URL",
    "PROXY",
    "NODE",
    "PATHS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "TZ",
    "SHELL",
    "UV_INDEX_URL",
    "CURL_CA_BUNDLE",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LOCALDOMAINS",
    "RESOLVER",
    "DEBUG",
    "CI",
  ])("lets %s be", async (name) => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": env(name) });
    expect(() => look({ cwd: shop, folder })).not.toThrow();
  });

  it.each([
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1", false],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "true", false],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0", true],
    ["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "", true],
    ["TEAM_MEMORY_DISABLE", "1", false],
    ["TEAM_MEMORY_DISABLE", "0", true],
  ])("of %s=%j: switching off is a repository's right, switching on is not", async (name, value, isRefused) => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": env(name, value) });
    if (isRefused) expect(() => look({ cwd: shop, folder })).toThrow(steered(name, "settings.json$"));
    else expect(() => look({ cwd: shop, folder })).not.toThrow();
  });

  it.each([
    ["settings without env", { permissions: {} }],
    ["an env that is a list", { env: ["HOME"] }],
    ["an env that is a text", { env: "HOME=/tmp" }],
    ["a list", []],
    ["null", "null"],
  ])("finds nothing in %s", async (_, settings) => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": settings });
    expect(() => look({ cwd: shop, folder })).not.toThrow();
  });

  it("shows a hostile name escaped", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": env("NODE_\u001b[2J\u202e") });
    expect(() => look({ cwd: shop, folder })).toThrow(/NODE_\\u\{1b\}\[2J\\u\{202e\} in/);
  });
});

describe("assertNotSteered: where settings are looked for", () => {
  it.each([
    ["the checkout's root", ".claude/settings.json"],
    ["the local file there", ".claude/settings.local.json"],
    ["the folder itself", "src/cart/.claude/settings.json"],
    ["the local file there", "src/cart/.claude/settings.local.json"],
    ["a folder between", "src/.claude/settings.json"],
  ])("in %s", async (_, file) => {
    const { shop, folder } = await shopWith({ [file]: env("HOME") });
    expect(() => look({ cwd: join(shop, "src/cart"), folder })).toThrow(steered("HOME", `shop/${file}$`));
  });

  it("in the worktree's root and in the repository's own", async () => {
    const { shop, folder } = await shopWith({});
    const fix = join(folder, "fix");
    await git(shop, ["worktree", "add", "-q", fix]);
    expect(() => look({ cwd: fix, folder })).not.toThrow();
    await writeFiles(shop, { ".claude/settings.json": env("HOME") });
    expect(() => look({ cwd: fix, folder })).toThrow(steered("HOME", "shop/.claude/settings.json$"));
    await writeFiles(fix, { ".claude/settings.json": env("PATH") });
    expect(() => look({ cwd: fix, folder })).toThrow(steered("PATH", "fix/.claude/settings.json$"));
  });

  it("in CLAUDE_PROJECT_DIR and in the host's own folder, up to their roots", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": env("HOME") });
    const elsewhere = await makeRepository(join(folder, "elsewhere"));
    expect(() => look({ cwd: elsewhere, folder })).not.toThrow();
    const inShop = join(shop, "src");
    const found = steered("HOME", "shop/.claude/settings.json$");
    expect(() => look({ cwd: elsewhere, folder, variables: { CLAUDE_PROJECT_DIR: inShop } })).toThrow(found);
    expect(() => look({ cwd: elsewhere, folder, hostCwd: inShop })).toThrow(found);
    expect(() => look({ cwd: elsewhere, folder, hostCwd: join(folder, "gone") })).not.toThrow();
  });

  it("in a folder without git, not in those above it", async () => {
    const folder = await tempDir();
    await writeFiles(folder, {
      ".claude/settings.json": env("HOME"),
      "notes/.claude/settings.local.json": env("PATH"),
    });
    await mkdir(join(folder, "plain"));
    expect(() => look({ cwd: join(folder, "plain"), folder })).not.toThrow();
    expect(() => look({ cwd: join(folder, "notes"), folder })).toThrow(
      steered("PATH", "notes/.claude/settings.local.json$"),
    );
  });

  it("not in the settings of the user's own home, which the system's account names and HOME does not", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": env("HOME") });
    const before = process.env["HOME"];
    process.env["HOME"] = shop;
    try {
      expect(homedir()).toBe(shop);
      expect(userInfo().homedir).not.toBe(shop);
      expect(() => look({ cwd: shop, folder })).toThrow(steered("HOME", "settings.json$"));
    } finally {
      process.env["HOME"] = before;
    }
  });
});

describe("assertNotSteered: settings that cannot be judged are refused", () => {
  const isRoot = process.getuid?.() === 0;

  it.each([
    ["not JSON", '{"env": {"HOME": "/tmp"},}'],
    ["JSON with a comment", '{} // {"env": {"HOME": "/tmp"}}'],
    ["empty", ""],
    ["over the bound", " ".repeat(LIMITS.settingsFileSizeBytesMax + 1)],
  ])("%s", async (_, text) => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": text });
    expect(() => look({ cwd: shop, folder })).toThrow(steered(null, "shop/.claude/settings.json$"));
  });

  it("but a BOM before JSON is read through", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": `\uFEFF${JSON.stringify(env("HOME"))}` });
    expect(() => look({ cwd: shop, folder })).toThrow(steered("HOME", "settings.json$"));
  });

  it("a named pipe, at once", async () => {
    const { shop, folder } = await shopWith({});
    await mkdir(join(shop, ".claude"));
    execFileSync("mkfifo", [join(shop, ".claude/settings.json")]);
    const startedAt = performance.now();
    expect(() => look({ cwd: shop, folder })).toThrow(steered(null, "settings.json$"));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it("a folder in its place, and a link that leads in circles", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json/x": "" });
    expect(() => look({ cwd: shop, folder })).toThrow(steered(null, "settings.json$"));
    const circular = await makeRepository(join(folder, "circular"));
    await symlink(".claude", join(circular, ".claude"));
    expect(() => look({ cwd: circular, folder })).toThrow(steered(null, "settings.json$"));
  });

  it.skipIf(isRoot)("a file without the right to read it", async () => {
    const { shop, folder } = await shopWith({ ".claude/settings.json": {} });
    await chmod(join(shop, ".claude/settings.json"), 0);
    expect(() => look({ cwd: shop, folder })).toThrow(steered(null, "settings.json$"));
  });

  it("and a link to a readable file is read", async () => {
    const { shop, folder } = await shopWith({ "config.json": env("HOME") });
    await mkdir(join(shop, ".claude"));
    await symlink("../config.json", join(shop, ".claude/settings.json"));
    expect(() => look({ cwd: shop, folder })).toThrow(steered("HOME", "shop/.claude/settings.json$"));
  });
});
