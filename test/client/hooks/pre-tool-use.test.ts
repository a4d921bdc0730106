import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { preToolUse } from "../../../client/hooks/pre-tool-use.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { makeSeat, type Seat, toInput } from "./support.ts";

/** Nobody listens there: whoever asked would fail. */
const NOWHERE = "http://127.0.0.1:9";
const GOOD = memoryText("Real databases in tests");
const TOKEN = `ghp_${"A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8".slice(0, 36)}`;

describe("preToolUse", () => {
  let seat: Seat;
  let teamDir: string;

  beforeEach(async () => {
    seat = await makeSeat(NOWHERE);
    teamDir = seat.located.teamDir;
    await mkdir(teamDir, { recursive: true });
  });

  it.each([
    ["a good memory", "feedback_testing.md", GOOD],
    ["one in a folder", "store/feedback_testing.md", GOOD],
    ["the other shape of frontmatter", "a.md", "---\nname: A\ndescription: B\nmetadata:\n  type: project\n---\nBody\n"],
    ["Windows line ends and a BOM", "a.md", `\ufeff${GOOD.replaceAll("\n", "\r\n")}`],
    ["a session id, which is dropped later", "a.md", GOOD.replace("type:", "originSessionId: x\ntype:")],
  ])("says nothing of %s", async (_, key, content) => {
    expect(await write(key, content)).toBeNull();
  });

  it.each([
    ["a name with dots", "..hidden/a.md", GOOD, /R-DOTFILE/],
    ["another extension", "notes.txt", GOOD, /R-EXT/],
    ["a device name", "con.md", GOOD, /R-WINRES/],
    ["a decomposed name", "cafe\u0301.md", GOOD, /R-NFC/],
    ["no frontmatter", "a.md", "Just text\n", /line 1: .*name, description and type/s],
    ["no description", "a.md", "---\nname: A\ntype: project\n---\nBody\n", /line \d: description/],
    ["two problems at once", "a.md", "---\ntype: nothing\n---\nBody\n", /name.*; line \d: .*type/s],
    ["a colon that ends the YAML", "a.md", "---\nname: A\ndescription: b: c\ntype: project\n---\n", /line 3/],
    ["the type user", "a.md", GOOD.replace(/type: .*/, "type: user"), /line 4: type is user.*memory\/ itself/s],
    ["too much text", "a.md", GOOD + "x".repeat(LIMITS.memorySizeBytesMax), /65536 at most.*split/s],
    ["the index", "MEMORY.md", "- [A](a.md)\n", /generated index.*second step.*left out/s],
    ["the index in other letters", "memory.md", GOOD, /generated index/],
    ["a secret", "a.md", `${GOOD}token: ${TOKEN}\n`, /line \d+ holds a secret \(/],
    ["a secret in the name", `${TOKEN}.md`, "no frontmatter", /its name holds a secret/],
  ])("denies %s", async (_, key, content, reason) => {
    const said = await write(key, content);
    expect(said).toMatch(/^Not written: /);
    expect(said).toMatch(reason);
    expect(said).not.toContain(TOKEN);
  });

  it("denies a second spelling of a memory that is there, and names that one", async () => {
    await writeFile(join(teamDir, "feedback_testing.md"), GOOD);
    expect(await write("Feedback_Testing.md", GOOD)).toMatch(/one name on some disks. Edit feedback_testing.md/);
    expect(await write("feedback_testing.md", GOOD)).toBeNull();
  });

  it("denies a write through a link that leads out of team/", async () => {
    const outside = await tempDir();
    await symlink(outside, join(teamDir, "docs"));
    await writeFile(join(outside, "a.md"), "private");
    expect(await write("docs/a.md", GOOD)).toMatch(/R-LINK/);
    const edit = { old_string: "private", new_string: GOOD };
    expect(await call("Edit", { file_path: join(teamDir, "docs/a.md"), ...edit })).toMatch(/R-LINK/);
  });

  it("judges a name before the first pull has made the folder", async () => {
    const early = await makeSeat(NOWHERE);
    const path = join(early.located.teamDir, "notes.txt");
    expect(await call("Write", { file_path: path, content: GOOD }, early)).toMatch(/R-EXT/);
  });

  it.each([
    ["leaves the memory valid", "tests: run", "tests: always run", null],
    ["breaks a field", "description: ", "desc: ", /description/],
    ["makes it private", "type: feedback", "type: user", /is user/],
    ["brings in a secret", "tests", `tests ${TOKEN}`, /holds a secret/],
    ["does not apply, but brings in a secret", "nothing like this", TOKEN, /holds a secret/],
    ["does not apply", "nothing like this", "x", null],
  ])("judges what an edit makes of the file: it %s", async (_, from, to, reason) => {
    const text = "---\nname: A\ndescription: How we test\ntype: feedback\n---\nUse them in tests: run the store\n";
    await writeFile(join(teamDir, "a.md"), text);
    const said = await call("Edit", { file_path: join(teamDir, "a.md"), old_string: from, new_string: to });
    if (reason === null) expect(said).toBeNull();
    else expect(said).toMatch(reason);
    expect(said ?? "").not.toContain(TOKEN);
  });

  it.each([
    ["no text", { content: 7 }],
    ["no content", {}],
    ["edits of another shape", { edits: "x" }],
  ])("judges by the name alone where there is %s", async (_, input) => {
    expect(await call("Write", { file_path: join(teamDir, "a.md"), ...input })).toBeNull();
    expect(await call("MultiEdit", { file_path: join(teamDir, "notes.txt"), ...input })).toMatch(/R-EXT/);
  });

  it.each([
    ["a file of the project", (at: Seat) => join(at.clone, "team/notes.txt")],
    ["a private memory", (at: Seat) => join(dirname(at.located.teamDir), "user_role.md")],
    ["the private index", (at: Seat) => join(dirname(at.located.teamDir), "MEMORY.md")],
    ["a sibling with the same beginning", (at: Seat) => `${at.located.teamDir}-evil/notes.txt`],
    ["team/ itself", (at: Seat) => at.located.teamDir],
    ["another project's team/", (at: Seat) => at.located.teamDir.replace("-shop", "-other")],
  ])("says nothing of %s", async (_, place) => {
    expect(await call("Write", { file_path: place(seat), content: TOKEN })).toBeNull();
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{,}"],
    ["a list", "[]"],
    ["no tool", "{}"],
    ["a tool without input", '{"tool_name":"Write"}'],
    ["a path that is no text", '{"tool_name":"Write","tool_input":{"file_path":7}}'],
    ["half of it", '{"tool_name":"Write","tool_input":{"file_path":"'],
  ])("says nothing where the host says %s", async (_, text) => {
    const { env, clone } = seat;
    const options = { env, cwd: clone, positionals: ["pre-tool-use"], values: {} };
    expect(await preToolUse(options, toInput(text))).toBeNull();
  });

  it("does not wait for the end of a stream that the host keeps open: an object that is whole is judged", async () => {
    const { env, clone } = seat;
    const open = new PassThrough();
    open.write(JSON.stringify({ cwd: clone, tool_name: "Write", tool_input: { file_path: join(teamDir, "a.txt") } }));
    const startedAtMs = performance.now();
    const options = { env, cwd: clone, positionals: ["pre-tool-use"], values: {} };
    expect(await preToolUse(options, open as unknown as NodeJS.ReadStream)).toMatch(/R-EXT/);
    expect(performance.now() - startedAtMs).toBeLessThan(LIMITS.hookInputTimeoutMs);
  });

  it("says nothing of a tool that only reads", async () => {
    expect(await call("Read", { file_path: join(teamDir, "notes.txt") })).toBeNull();
  });

  it("says nothing where the project was not joined, or memory is off", async () => {
    const off = await makeSeat(NOWHERE, { TEAM_MEMORY_DISABLE: "1" });
    const path = (at: Seat) => join(at.located.teamDir, "notes.txt");
    expect(await call("Write", { file_path: path(off), content: "" }, off)).toBeNull();
    const other = join(await tempDir(), "memory/team");
    expect(await call("Write", { file_path: join(other, "notes.txt"), content: "" })).toBeNull();
  });

  function write(key: string, content: string): Promise<string | null> {
    return call("Write", { file_path: join(teamDir, key), content });
  }

  /** The reason of a denial; null where nothing was said. */
  async function call(tool: string, toolInput: object, at = seat): Promise<string | null> {
    const { env, clone } = at;
    const event = { cwd: clone, hook_event_name: "PreToolUse", tool_name: tool, tool_input: toolInput };
    const options = { env, cwd: clone, positionals: ["pre-tool-use"], values: {} };
    const answer = await preToolUse(options, toInput(JSON.stringify(event)));
    if (answer === null) return null;
    const { hookSpecificOutput: output } = JSON.parse(answer);
    expect(output).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
    return output.permissionDecisionReason;
  }
});
