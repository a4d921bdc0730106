import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../architecture/source-tree.ts";
import { run } from "../support/run.ts";
import { tempDir } from "../support/temp-dir.ts";

const FIRST = "team-memory-first-0a.cjs";
const LATER = "team-memory-later-0b.cjs";
const CODE = `${process.version}-${process.arch}`;
const KEPT = `${FIRST}.${CODE}`;
const KEPT_LATER = `${LATER}.${CODE}`;
const START = ["hook", "session-start", "--part", "1"];

describe("the launched client", () => {
  let launch: string;

  beforeAll(async () => {
    const options = { absWorkingDir: ROOT, bundle: true, platform: "node", format: "cjs", write: false } as const;
    const define = { __FIRST_FILE__: JSON.stringify(FIRST), __LATER_FILE__: JSON.stringify(LATER) };
    const { outputFiles } = await build({ ...options, entryPoints: ["client/launch.ts"], define });
    launch = outputFiles[0]?.text ?? "";
  });

  /** A client that says where it ran and with what, from a function that is compiled when it is called. */
  async function install(more = "") {
    const folder = await tempDir();
    await writeFile(join(folder, "team-memory.cjs"), launch);
    const source = 'function say(p) { console.log(process.argv.slice(2).join(" "), p.basename(process.argv[1])); }';
    await writeFile(join(folder, FIRST), `(function (require) { ${source} say(require("node:path")); ${more} })`);
    const exported =
      "module.exports = { tell() { console.log(/^пароль$/.test('\\u043f\\u0430\\u0440\\u043e\\u043b\\u044c') ? 'later' : 'garbled'); } }; console.log('evaluated');";
    const later = `(function (require) { var module = { exports: {} }; ${exported} return module.exports; })`;
    await writeFile(join(folder, LATER), later);
    const start = (...args: readonly string[]) =>
      run(process.execPath, [join(folder, "team-memory.cjs"), ...args], { cwd: folder, env: {} });
    const kept = join(folder, KEPT);
    return { folder, start, kept };
  }

  async function expectWell(start: Awaited<ReturnType<typeof install>>["start"]): Promise<void> {
    const { code, stdout, stderr } = await start(...START);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "hook session-start --part 1 team-memory.cjs\n",
      stderr: "",
    });
  }

  it("keeps what was compiled at a session's start, for its owner alone, and does with it from then on", async () => {
    const { folder, start, kept } = await install();
    await expectWell(start);
    expect((await readdir(folder)).sort()).toEqual([FIRST, KEPT, LATER, "team-memory.cjs"]);
    const { ino, mode } = await stat(kept);
    expect(mode & 0o777).toBe(0o600);
    await expectWell(start);
    expect((await stat(kept)).ino).toBe(ino);
  });

  it.each(["join", "hook stop", "status"])("keeps nothing where another command runs: %s", async (words) => {
    const { folder, start } = await install();
    expect((await start(...words.split(" "))).code).toBe(0);
    expect((await readdir(folder)).sort()).toEqual([FIRST, LATER, "team-memory.cjs"]);
  });

  const ASK_TWICE = `require("./${LATER}").tell(); require("./${LATER}").tell();`;

  it.each([
    { words: START.join(" "), kept: [KEPT, KEPT_LATER] },
    { words: "pull --json", kept: [KEPT_LATER] },
    { words: "status", kept: [] },
  ])("evaluates the second file once where it is asked for, and keeps of $words: $kept", async ({ words, kept }) => {
    const { folder, start } = await install(ASK_TWICE);
    for (const _ of ["as it is", "with what was kept"]) {
      const { stdout, stderr } = await start(...words.split(" "));
      expect(stderr).toBe("");
      expect(stdout).toBe(`${words} team-memory.cjs\nevaluated\nlater\nlater\n`);
      expect((await readdir(folder)).filter((name) => name.endsWith(CODE)).sort()).toEqual(kept);
    }
  });

  it("compiles the second file anew where what was kept of it is damaged", async () => {
    const { folder, start } = await install(ASK_TWICE);
    const kept = join(folder, KEPT_LATER);
    await start(...START);
    await writeFile(kept, flip(await readFile(kept), 0.25));
    const { ino } = await stat(kept);
    const { code, stdout } = await start(...START);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${START.join(" ")} team-memory.cjs\nevaluated\nlater\nlater\n`,
    });
    expect((await stat(kept)).ino).not.toBe(ino);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["one bit of its first half is another", (bytes) => flip(bytes, 0.25)],
    ["one bit of its second half is another", (bytes) => flip(bytes, 0.75)],
    ["it breaks off", (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.7))],
    ["half of it is missing", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["it is empty", () => Buffer.alloc(0)],
    ["it is blank", (bytes) => Buffer.alloc(bytes.length)],
    ["another version of V8 made it", (bytes) => asOfAnotherVersion(bytes)],
  ])("compiles anew, and keeps that, where %s", async (_, damage) => {
    const { start, kept } = await install();
    await expectWell(start);
    const whole = await readFile(kept);
    await writeFile(kept, damage(whole));
    const { ino } = await stat(kept);
    await expectWell(start);
    expect((await stat(kept)).ino).not.toBe(ino);
    expect((await readFile(kept)).length).toBe(whole.length);
  });

  it.skipIf(process.platform === "win32")("does not wait for a pipe in its place, and puts a file there", async () => {
    const { folder, start, kept } = await install();
    await run("mkfifo", [kept], { cwd: folder, env: {} });
    await expectWell(start);
    expect((await stat(kept)).isFile()).toBe(true);
  });

  it("runs all the same where nothing can be kept", async () => {
    const { folder, start, kept } = await install();
    await mkdir(join(kept, "in-the-way"), { recursive: true });
    await expectWell(start);
    expect((await readdir(folder)).sort()).toEqual([FIRST, KEPT, LATER, "team-memory.cjs"]);
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const index = Math.floor(bytes.length * at);
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  return bytes;
}

/** Its hash is the second word, in both copies. */
function asOfAnotherVersion(bytes: Buffer): Buffer {
  for (const copy of [0, bytes.length / 2]) bytes.writeUInt32LE(bytes.readUInt32LE(copy + 4) ^ 1, copy + 4);
  return bytes;
}
