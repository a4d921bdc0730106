import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { giveAway, unprivileged } from "../../security/paths/support.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { type Developer, startWork } from "./support.ts";

/** Each puts something at the path that is no memory; what status says of it, and what a command that is given its name. */
const ODD: readonly [string, (path: string) => Promise<void> | void, RegExp, RegExp | null][] = [
  ["empty", (path) => writeFileSync(path, ""), /^empty +KEY /m, null],
  ["NUL-bearing", (path) => writeFileSync(path, "half\0\0\0"), /^empty +KEY /m, null],
  ["no UTF-8", (path) => writeFileSync(path, Buffer.from("caf\xe9\n", "latin1")), /^not valid +KEY .*UTF-8/m, null],
  ["far too large", writeLarge, /^not placed +KEY .*too large/m, /too large|can be read/],
  ["a pipe", (path) => void execFileSync("mkfifo", [path]), /^left alone +KEY .*no plain file/m, /no plain file/],
  ["a socket", listenAt, /^left alone +KEY .*no plain file/m, /no plain file/],
  ["a folder", (path) => mkdirSync(path), /^left alone +KEY .*a folder/m, /no plain file/],
  ["a link to nowhere", (path) => symlinkSync("/nowhere/at/all", path), /^left alone +KEY .*a link/m, /link/],
  ["a link to itself", (path) => symlinkSync(path, path), /^left alone +KEY .*a link/m, /link/],
];

/** Without a key: these are about all files, and one of them may stop none. */
const WHOLE = ["status", "diff", "push", "conflicts", "attic list", "pull", "sync"];

describe.each(ODD)("a file under team/ that is %s", (_what, put, said, named) => {
  let dev: Developer;

  beforeEach(async () => {
    [dev] = await startWork({ "a.md": memoryText("A"), "known.md": memoryText("Known") });
    await dev.write("mine.md", memoryText("Mine"));
  });

  it.each(["odd.md", "known.md"])("stops no command, and is named in the status, as %s", async (key) => {
    if (key === "known.md") await dev.remove(key);
    await put(join(dev.teamDir, key));
    for (const line of WHOLE) expect([EXIT.ok, EXIT.attention]).toContain((await dev.call(line)).exit);
    const status = await dev.call("status");
    expect(status.text).toMatch(toLine(said, key));
    expect(status.text).toMatch(/^proposed +mine\.md /m);
  });

  it.skipIf(named === null)("is spoken of as what it is by commands that name it", async () => {
    await put(join(dev.teamDir, "odd.md"));
    for (const verb of ["diff", "push", "keep-private", "rm"]) {
      expect(`${verb}: ${(await dev.call(`${verb} odd.md`)).text}`).toMatch(named ?? /^/);
    }
  });
});

describe.skipIf(process.platform === "win32")("what cannot be read under team/", () => {
  it.each([
    ["a file", "sub/a.md", 0o000, /^not placed +sub\/a\.md \(what lies there cannot be read\)/m],
    ["a folder", "sub", 0o000, /^left alone +sub\/ \(a folder that cannot be read\)/m],
    [
      "a folder whose names alone can be read",
      "sub",
      0o400,
      /^not placed +sub\/a\.md \(what lies there cannot be read\)/m,
    ],
  ])("%s: is not missing, and stops no command", async (_what, path, mode, said) => {
    const [dev] = await startWork({ "sub/a.md": memoryText("A") });
    await dev.write("mine.md", memoryText("Mine"));
    const home = dirname(dev.env.home);
    giveAway(home, ...readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => join(home, name)));
    await unprivileged(async () => {
      chmodSync(join(dev.teamDir, path), mode);
      for (const line of WHOLE) expect([EXIT.ok, EXIT.attention]).toContain((await dev.call(line)).exit);
      const { text } = await dev.call("status");
      chmodSync(join(dev.teamDir, path), 0o700);
      expect(text).toMatch(said);
      expect(text).not.toMatch(/^missing/m);
    });
  });
});

function toLine({ source, flags }: RegExp, key: string): RegExp {
  return new RegExp(source.replace("KEY", key.replace(".", "\\.")), flags);
}

function writeLarge(path: string): void {
  writeFileSync(path, "x");
  truncateSync(path, LIMITS.localFileSizeBytesMax + 1);
}

/** Bound where the path is short enough for a socket's address, and moved. */
async function listenAt(path: string): Promise<void> {
  const short = join(await tempDir(), "s");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(short, resolve));
  onTestFinished(() => void server.close());
  renameSync(short, path);
}
