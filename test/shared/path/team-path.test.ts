import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, posix, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import type { Answer, DiskEntry, Question } from "../../../shared/path/ask-disk.ts";
import { checkDeepestExisting, checkTeamDir, checkTeamPath } from "../../../shared/path/check-team-path.ts";
import { type MemoryKey, sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import {
  realpathDeepestExisting,
  realpathDeepestExistingSync,
  resolveTeamPath,
  validateTeamMemoryPath,
  validateTeamMemoryPathSync,
} from "../../../shared/path/team-path.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { ruleOfThrown } from "./support.ts";

/** Both forms of each check; they must not differ. */
const VALIDATE = [
  { form: "validateTeamMemoryPath", validate: validateTeamMemoryPath },
  { form: "validateTeamMemoryPathSync", validate: async (...given: Given) => validateTeamMemoryPathSync(...given) },
];
const REALPATH = [
  { form: "realpathDeepestExisting", real: realpathDeepestExisting },
  { form: "realpathDeepestExistingSync", real: async (path: string) => realpathDeepestExistingSync(path) },
];
type Given = Parameters<typeof validateTeamMemoryPathSync>;

describe("resolveTeamPath", () => {
  const key = (text: string) => text as MemoryKey;

  it.each([
    { team: "/m/team", path: "a/b.md", rules: posix, expected: "/m/team/a/b.md" },
    { team: "/m/team/", path: "a.md", rules: posix, expected: "/m/team/a.md" },
    { team: "/m/x/../team", path: "a.md", rules: posix, expected: "/m/team/a.md" },
    { team: "C:\\m\\team", path: "a/b.md", rules: win32, expected: "C:\\m\\team\\a\\b.md" },
  ])("resolves $path below $team", ({ team, path, rules, expected }) => {
    expect(resolveTeamPath(team, key(path), rules)).toBe(expected);
  });

  // What no key may be, given as if the first layer had let it through: this layer holds by itself.
  it.each([
    { path: "../team-evil/x.md", rules: posix },
    { path: "../teammate.md", rules: posix },
    { path: "../../etc/passwd", rules: posix },
    { path: "/etc/passwd", rules: posix },
    { path: "a/../../x.md", rules: posix },
    { path: "..", rules: posix },
    { path: ".", rules: posix },
    { path: "", rules: posix },
    { path: "a/..", rules: posix },
    { path: "..\\team-evil\\x.md", rules: win32 },
    { path: "C:x.md", rules: { ...win32, resolve: () => "C:\\elsewhere\\x.md" } },
    { path: "D:\\x.md", rules: win32 },
    { path: "\\\\server\\share\\x.md", rules: win32 },
  ])("refuses $path even if it were a key", ({ path, rules }) => {
    const team = rules.sep === "/" ? "/m/team" : "C:\\m\\team";
    expect(ruleOfThrown(() => resolveTeamPath(team, key(path), rules))).toBe("R-PREFIX");
  });

  it.each([
    { team: "/", rules: posix },
    { team: "//", rules: posix },
    { team: "/a/..", rules: posix },
    { team: "C:\\", rules: win32 },
    { team: "C:/", rules: win32 },
    { team: "\\\\server\\share\\", rules: win32 },
  ])("refuses $team as a team directory", ({ team, rules }) => {
    expect(ruleOfThrown(() => resolveTeamPath(team, key("a.md"), rules))).toBe("R-ROOT");
  });
});

describe.each(REALPATH)("$form", ({ real }) => {
  it("gives the real path of what exists, through links", async () => {
    const folder = await tempDir();
    await mkdir(join(folder, "real/a"), { recursive: true });
    await symlink(join(folder, "real"), join(folder, "link"));
    expect(await real(join(folder, "link/a"))).toBe(join(folder, "real/a"));
  });

  it("gives the real path of the deepest ancestor that exists", async () => {
    const folder = await tempDir();
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"));
    expect(await real(join(folder, "link/not/there/x.md"))).toBe(join(folder, "real"));
    expect(await real("/this-is-not-there/x.md")).toBe("/");
  });

  it.each([
    { name: "a dangling link", path: "dangling", rule: "R-DANGLING" },
    { name: "a path through a dangling link", path: "dangling/x.md", rule: "R-DANGLING" },
    { name: "a loop", path: "loop", rule: "R-LOOP" },
    { name: "a path through a loop", path: "loop/x.md", rule: "R-LOOP" },
    { name: "a file among the folders", path: "file/x.md", rule: "R-NOT-FOLDER" },
    { name: "a link to a file among the folders", path: "to-file/x.md", rule: "R-NOT-FOLDER" },
    { name: "a name too long", path: "a".repeat(300), rule: "R-LEN-DISK" },
    { name: "a path too long", path: "a/".repeat(4_000), rule: "R-LEN-DISK" },
    { name: "a NUL", path: "a\0b", rule: "R-DISK" },
  ])("refuses $name", async ({ path, rule }) => {
    const folder = await tempDir();
    await symlink(join(folder, "gone"), join(folder, "dangling"));
    await symlink(join(folder, "loop"), join(folder, "loop"));
    await writeFile(join(folder, "file"), "");
    await symlink(join(folder, "file"), join(folder, "to-file"));
    await expect(real(join(folder, path))).rejects.toMatchObject({ code: "path_traversal", rule });
  });
});

describe("checkDeepestExisting, on a disk that fails", () => {
  it.each([
    { code: "EACCES", rule: "R-DENIED" },
    { code: "EPERM", rule: "R-DENIED" },
    { code: "EIO", rule: "R-DISK" },
    { code: "ENOTDIR", rule: "R-NOT-FOLDER" },
    { code: "ELOOP", rule: "R-LOOP" },
    { code: "ENAMETOOLONG", rule: "R-LEN-DISK" },
    { code: "ESTALE", rule: "R-DISK" },
    { code: "EWHATEVER", rule: "R-DISK" },
  ])("refuses $code, from the look and from the real path", ({ code, rule }) => {
    const failure = { code, cause: new Error(code) };
    expect(ruleOfThrown(() => answering(checkDeepestExisting("/m/a.md"), () => ({ failure })))).toBe(rule);
    const found = ({ ask }: Question): Answer => (ask === "lstat" ? { entry: entryOf("file") } : { failure });
    expect(ruleOfThrown(() => answering(checkDeepestExisting("/m/a.md"), found))).toBe(rule);
  });

  it("refuses a system on which not even the root is there", () => {
    const nothing = () => ({ failure: { code: "ENOENT", cause: undefined } });
    expect(ruleOfThrown(() => answering(checkDeepestExisting("/m/a.md"), nothing))).toBe("R-DISK");
  });
});

describe.each(VALIDATE)("$form", ({ validate }) => {
  it("gives the path, the key, the team directory and its pin", async () => {
    const team = await teamDir();
    await mkdir(join(team, "a"));
    const expected = { key: "a/b.md", path: join(team, "a/b.md"), teamDir: team };
    expect(await validate(`${team}/`, "a/b.md")).toMatchObject(expected);
    await writeFile(join(team, "a/b.md"), "");
    expect(await validate(team, "a/b.md")).toMatchObject(expected);
    expect(await validate(team, "not/there/yet.md")).toMatchObject({ key: "not/there/yet.md" });
  });

  it("runs the key's rules before it looks at any disk", async () => {
    await expect(validate("/not/there", "../x.md")).rejects.toMatchObject({ rule: "R-DOTSEG" });
    await expect(validate("/not/there", ["x.md"])).rejects.toMatchObject({ rule: "R-TYPE" });
  });

  it("refuses a team directory that is missing, a file, or the root of a file system", async () => {
    const folder = await tempDir();
    await writeFile(join(folder, "file"), "");
    await expect(validate(join(folder, "gone"), "a.md")).rejects.toMatchObject({ rule: "R-TEAM-DIR" });
    await expect(validate(join(folder, "file"), "a.md")).rejects.toMatchObject({ rule: "R-TEAM-DIR" });
    await expect(validate(join(folder, "file/team"), "a.md")).rejects.toMatchObject({ rule: "R-NOT-FOLDER" });
    await expect(validate("/", "a.md")).rejects.toMatchObject({ rule: "R-ROOT" });
  });

  it("refuses another team directory than the first file of the run had", async () => {
    const team = await teamDir();
    const { pin } = await validate(team, "a.md");
    expect(await validate(team, "b.md", pin)).toMatchObject({ pin });
    await expect(validate(await teamDir(), "b.md", pin)).rejects.toMatchObject({ rule: "R-MOVED" });
  });
});

describe("checkTeamDir", () => {
  it.each([
    { name: "belongs to this user", uid: 1000n, euid: 1000, rule: null },
    { name: "belongs to another user", uid: 1001n, euid: 1000, rule: "R-OWNER" },
    { name: "belongs to root", uid: 0n, euid: 1000, rule: "R-OWNER" },
    { name: "was mounted for root", uid: 1000n, euid: 0, rule: null },
    { name: "lies on a system without user ids", uid: 0n, euid: undefined, rule: null },
  ])("judges a team directory that $name: $rule", ({ uid, euid, rule }) => {
    const { geteuid } = process;
    Object.assign(process, { geteuid: euid === undefined ? undefined : () => euid });
    try {
      const check = () => answering(checkTeamDir("/t", "a.md"), () => ({ entry: { ...entryOf("folder"), uid } }));
      expect(ruleOfThrown(check)).toBe(rule);
    } finally {
      Object.assign(process, { geteuid });
    }
  });
});

describe("checkTeamPath, on a disk that changes or fails between two looks", () => {
  const key = sanitizePathKey("a/b.md");

  it.each([
    { name: "a folder on another device", answers: { "/t/a": { entry: entryOf("folder", 2n) } }, rule: "R-DEVICE" },
    { name: "a file on another device", answers: { "/t/a/b.md": { entry: entryOf("file", 2n) } }, rule: "R-DEVICE" },
    { name: "a folder that cannot be looked at", answers: { "/t/a": failing("EIO") }, rule: "R-DISK" },
    { name: "a team directory that cannot be looked at", answers: { "/t": failing("EACCES") }, rule: "R-DENIED" },
    {
      name: "a file that became a link out",
      answers: { "real /t/a/b.md": { real: "/etc/passwd" } },
      rule: "R-OUTSIDE",
    },
    {
      name: "a file that became a link to a neighbour",
      answers: { "real /t/a/b.md": { real: "/t-evil/b.md" } },
      rule: "R-OUTSIDE",
    },
    {
      name: "a file that became a dangling link",
      answers: { "real /t/a/b.md": failing("ENOENT") },
      rule: "R-DANGLING",
    },
    { name: "a team directory that became a loop", answers: { "real /t": failing("ELOOP") }, rule: "R-LOOP" },
  ])("refuses $name", ({ answers, rule }) => {
    const disk: Record<string, Answer> = {
      "/t": { entry: entryOf("folder") },
      "/t/a": { entry: entryOf("folder") },
      "/t/a/b.md": { entry: entryOf("file") },
      "real /t": { real: "/t" },
      "real /t/a/b.md": { real: "/t/a/b.md" },
      ...answers,
    };
    const look = ({ ask, path }: Question) => disk[ask === "lstat" ? path : `real ${path}`] ?? failing("ENOENT");
    expect(ruleOfThrown(() => answering(checkTeamPath("/t", key), look))).toBe(rule);
  });
});

async function teamDir(): Promise<string> {
  const team = join(await tempDir(), "team");
  await mkdir(team);
  return team;
}

function answering<Result>(check: Generator<Question, Result, Answer>, answer: (question: Question) => Answer): Result {
  let step = check.next();
  while (!step.done) step = check.next(answer(step.value));
  return step.value;
}

function failing(code: string): Answer {
  return { failure: { code, cause: new Error(code) } };
}

function entryOf(kind: "file" | "folder", dev = 1n): DiskEntry {
  return {
    dev,
    ino: 7n,
    uid: BigInt(process.geteuid?.() ?? 0),
    isFile: () => kind === "file",
    isDirectory: () => kind === "folder",
    isSymbolicLink: () => false,
  };
}
