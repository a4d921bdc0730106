import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, type TestContext, vi } from "vitest";
import { type ClaudeCode, installClaudeCode, runTurn } from "../support/claude-code.ts";
import { git } from "../support/git.ts";
import { type Home, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { type Block, type MessagesApi, startMessagesApi } from "../support/messages-api.ts";
import { cloneMemory, joinByApi, pushMemories } from "../support/people.ts";
import { invite, type RunningService, startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROJECT = "github.com/acme/shop";
const MEMORY = { "feedback_testing.md": memoryText("Real databases in tests") };
/** One that the host does not know by itself; in pieces, so that nobody's scanner takes this file for a leak. */
const SECRET = ["postgres://shop:", "v8Kq2mZr7TnB4xWd", "@db.internal/shop"].join("");

describe("the real Claude Code client", () => {
  let claude: ClaudeCode;
  let path: string;

  beforeAll(async () => {
    claude = await installClaudeCode();
  });

  beforeEach((context: TestContext) => {
    if ("missing" in claude) context.skip(claude.missing);
    else path = claude.path;
  });

  it("starts a session with a teammate's memory, by the hook that join installed", async () => {
    const { home, api } = await joinTeam(MEMORY);
    const turn = await runTurn({ path }, home, api);
    expect(turn).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(readSession(api)).toContain("Real databases in tests");
    expect(await readFile(join(home.teamDir, "feedback_testing.md"), "utf8")).toBe(MEMORY["feedback_testing.md"]);
  });

  it("is told both parts of a long index, each whole", async () => {
    const names = Array.from(
      { length: 110 },
      (_, index) => `Agreement number ${String(index).padStart(3, "0")} of the team`,
    );
    const { home, api } = await joinTeam(
      Object.fromEntries(names.map((name, index) => [`project_${index}.md`, memoryText(name)])),
    );
    await runTurn({ path }, home, api);
    const index = await readFile(join(home.teamDir, "MEMORY.md"), "utf8");
    expect(index.length).toBeGreaterThan(10_000);
    expect(names.filter((name) => !readSession(api).includes(name))).toEqual([]);
  });

  it("proposes what the model wrote into team/ when its turn has ended", async () => {
    const content = memoryText("New");
    const { service, home, api } = await joinTeam(MEMORY, (target) => [
      writeBlock(join(target.teamDir, "project_new.md"), content),
    ]);
    expect(await runTurn({ path }, home, api)).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(await readFile(join(home.teamDir, "project_new.md"), "utf8")).toBe(content);
    const [branch = ""] = await waitForBranches(service);
    expect(await readInRemote(service, `${branch}:projects/${PROJECT}/team/project_new.md`)).toBe(content.trimEnd());
    expect(await waitForBranches(service)).toHaveLength(1);
  });

  it.each([
    ["a memory without frontmatter", "project_new.md", "Just text\n", "name, description and type"],
    ["one about a person", "user_role.md", memoryText("Role").replace(/type: .*/, "type: user"), "type is user"],
    ["one with a secret", "project_new.md", `${memoryText("New")}${SECRET}\n`, "holds a secret"],
    ["one with a bad name", "../team/.hidden.md", memoryText("New"), "R-DOTFILE"],
    ["the index", "MEMORY.md", "- [New](project_new.md)\n", "generated index"],
  ])("keeps the model from writing %s into team/, and tells it why", async (_, key, content, reason) => {
    const { service, home, api } = await joinTeam(MEMORY, (target) => [
      // The host lets nobody overwrite what was not read.
      { type: "tool_use", name: "Read", input: { file_path: `${target.teamDir}/MEMORY.md` } },
      writeBlock(`${target.teamDir}/${key}`, content),
    ]);
    expect(await runTurn({ path }, home, api)).toMatchObject({ code: 0, stdout: "Done.\n" });
    const told = readToolResults(api).at(-1);
    expect(told).toMatch(/Not written: /);
    expect(told).toContain(reason);
    expect(told).not.toContain(SECRET);
    const names = await readdir(home.teamDir);
    expect(names.sort()).toEqual(["MEMORY.md", "feedback_testing.md"]);
    expect(await readFile(join(home.teamDir, "MEMORY.md"), "utf8")).not.toBe(content);
    expect(await listBranches(service)).toEqual([]);
  });

  it.each([
    { name: "CLAUDE_CONFIG_DIR", settings: { env: { CLAUDE_CONFIG_DIR: "HOME/.ssh" } } },
    {
      name: "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
      settings: { env: { CLAUDE_COWORK_MEMORY_PATH_OVERRIDE: "HOME/.ssh" } },
    },
    { name: "TEAM_MEMORY_SERVER", settings: { env: { TEAM_MEMORY_SERVER: "http://127.0.0.1:9" } } },
    { name: "XDG_CONFIG_HOME", settings: { env: { XDG_CONFIG_HOME: "HOME/.ssh" } } },
  ])("hears a refusal where the repository's settings set $name", async ({ settings, name }) => {
    const { home, api } = await joinTeam(MEMORY);
    await commitSettings(home, settings);
    const turn = await runTurn({ path }, home, api);
    expect(turn.code).toBe(0);
    expect(readSession(api)).toContain("steered_environment");
    expect(readSession(api)).toContain(name);
    expect(readSession(api)).not.toContain("Real databases in tests");
    expect(await readKeyFolder(home)).toEqual({ key: "private\n", memories: [] });
  });

  it("keeps out of a folder that the repository names as memory directory", async () => {
    const { home, api } = await joinTeam(MEMORY);
    await commitSettings(home, { autoMemoryDirectory: "~/.ssh" });
    expect(await runTurn({ path }, home, api)).toMatchObject({ code: 0 });
    expect(await readKeyFolder(home)).toEqual({ key: "private\n", memories: [] });
  });
});

/** A team with reviewed memories, and a developer who joined it from an own clone. */
async function joinTeam(memories: Readonly<Record<string, string>>, blocks?: (home: Home) => readonly Block[]) {
  const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
  const { token } = await joinByApi(service, "reviewer");
  const home = await makeHome({ onEnd: onTestFinished });
  await mkdir(join(home.folder, ".ssh"));
  await writeFile(join(home.folder, ".ssh/id_ed25519"), "private\n");
  expect(await home.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
  await pushMemories(await cloneMemory(service.url, token, onTestFinished), PROJECT, memories);
  const script = blocks?.(home) ?? [];
  const api = await startMessagesApi(
    onTestFinished,
    (_request, index) => script[index] ?? { type: "text", text: "Done." },
  );
  return { service, home, api };
}

function writeBlock(filePath: string, content: string): Block {
  return { type: "tool_use", name: "Write", input: { file_path: filePath, content } };
}

/** What the model was told of its tool calls, in their order. */
function readToolResults(api: MessagesApi): string[] {
  const { messages } = JSON.parse(api.requests.at(-1)?.text ?? "{}") as { messages?: { content: unknown }[] };
  const blocks = (messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks.filter(({ type }) => type === "tool_result").map(({ content }) => JSON.stringify(content));
}

/** The proposals in the remote, by branch. */
async function listBranches({ gitDir }: RunningService): Promise<string[]> {
  const refs = await git(gitDir, ["for-each-ref", "--format=%(refname)", "refs/heads/team-memory/"]);
  return refs.split("\n").filter((ref) => ref !== "");
}

/** The turn does not wait for what it left behind. */
async function waitForBranches(service: RunningService): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const branches = await listBranches(service);
      expect(branches).not.toEqual([]);
      return branches;
    },
    { timeout: 20_000, interval: 100 },
  );
}

function readInRemote({ gitDir }: RunningService, object: string): Promise<string> {
  return git(gitDir, ["show", object]);
}

/** What a hostile repository does: settings that every clone of it brings along. HOME stands for the victim's. */
async function commitSettings(home: Home, settings: object): Promise<void> {
  await mkdir(join(home.clone, ".claude"));
  await writeFile(
    join(home.clone, ".claude/settings.json"),
    JSON.stringify(settings).replaceAll("HOME/", `${home.folder}/`),
  );
  await home.git("add", ".claude");
  await home.git("commit", "-q", "-m", "Settings");
}

/** The victim's key, and whatever of memories lies beside it: the host itself follows some of these settings. */
async function readKeyFolder(home: Home): Promise<{ key: string; memories: string[] }> {
  const folder = join(home.folder, ".ssh");
  const paths = await readdir(folder, { recursive: true });
  const memories = paths.filter((path) => /\.md$|(^|\/)(team|team-memory)(\/|$)/.test(path));
  return { key: await readFile(join(folder, "id_ed25519"), "utf8"), memories };
}

/** All that the model read in the session. */
function readSession(api: MessagesApi): string {
  return api.requests.map(({ text }) => text).join("\n");
}
