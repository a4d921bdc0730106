import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { memoryText } from "../../support/memory-text.ts";
import { writeFiles } from "../memory/support.ts";
import { startStubService } from "../stub-service.ts";
import { makeSeat } from "./support.ts";

describe("sessionStart", () => {
  it("pulls, makes team/, and tells the index between fences, where the files lie, and that all is up to date", async () => {
    const service = await startStubService({ "a.md": memoryText("A"), "sub/b.md": memoryText("B") });
    const { startSession, located } = await makeSeat(service.url);
    const { context, answer } = await startSession();
    expect(JSON.parse(answer).hookSpecificOutput.hookEventName).toBe("SessionStart");
    const [, fenced] = /^```text\n([\s\S]*)\n```$/m.exec(context) ?? [];
    expect(fenced?.split("\n")).toEqual([
      "New or changed since the last session: a.md, sub/b.md",
      "",
      "# Team memory",
      "",
      "- [A](a.md) -- About A",
      "- [B](sub/b.md) -- About B",
    ]);
    expect(context).toContain("State: up to date with the team.");
    expect(context).toContain(`${located.teamDir}/`);
    expect(existsSync(join(located.teamDir, "sub/b.md"))).toBe(true);
  });

  it("makes team/ for its owner alone where the team has nothing yet, and again where it was cleaned up", async () => {
    const service = await startStubService();
    const { startSession, located } = await makeSeat(service.url);
    await startSession();
    expect(statSync(located.teamDir).mode & 0o777).toBe(0o700);
    rmSync(located.teamDir, { recursive: true });
    await startSession();
    expect(statSync(located.teamDir).isDirectory()).toBe(true);
  });

  it("makes team/ also where the service is away", async () => {
    const { startSession, located } = await makeSeat("http://127.0.0.1:9");
    const { context } = await startSession();
    expect(statSync(located.teamDir).isDirectory()).toBe(true);
    expect(context).toContain("State: nothing has been pulled yet (unreachable).\n");
    expect(context).toMatch(/\n```text\nWhy it was not checked: Could not reach \S+: ECONNREFUSED\n```$/);
  });

  it("names what is new since the last session, and says so once", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession } = await makeSeat(service.url);
    await startSession();
    service.memories.set("b.md", memoryText("B"));
    expect((await startSession()).context).toContain("New or changed since the last session: b.md");
    expect((await startSession()).context).not.toContain("New or changed");
  });

  it.each([
    { what: "begins just after the other has asked", afterMs: LIMITS.startedTogetherMs / 2, requests: 1 },
    { what: "begins later", afterMs: LIMITS.startedTogetherMs * 2, requests: 2 },
  ])(
    "is answered by the request of another session, or not, where it $what: $requests",
    async ({ afterMs, requests }) => {
      const service = await startStubService({ "a.md": memoryText("A") });
      const { startSession } = await makeSeat(service.url);
      let askedAtMs = 0;
      service.intercept = () => {
        askedAtMs = Date.now();
        return false;
      };
      await startSession();
      const { context } = await startSession({ sinceBeforeMs: askedAtMs + afterMs - Date.now() });
      expect(context).toContain("[A](a.md)");
      expect(service.requests).toHaveLength(requests);
    },
  );

  it("tells the last good copy, its age and the reason once the service fails", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession } = await makeSeat(service.url);
    await startSession();
    service.intercept = (_, response) => response.writeHead(500).end("<h1>Oops</h1>") !== null;
    const { context } = await startSession();
    expect(context).toMatch(/State: the copy of (less than a second|\d+ seconds?) ago, .* \(bad_response\)\./);
    expect(context).toContain("[A](a.md)");
  });

  it("works in the folder that the host names, whatever folder it is started in", async () => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, clone } = await makeSeat(service.url);
    mkdirSync(join(clone, "src"));
    expect((await startSession({ cwd: join(clone, "src") })).context).toContain("[A](a.md)");
  });
});

describe("sessionStart where team memory is not for this session", () => {
  it.each([
    ["auto memory is switched off", { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }],
    ["team memory is switched off", { TEAM_MEMORY_DISABLE: "1" }],
    ["the session is a bare one", { CLAUDE_CODE_SIMPLE: "1" }],
  ])("says nothing, asks nothing and makes nothing: %s", async (_, variables) => {
    const service = await startStubService({ "a.md": memoryText("A") });
    const { startSession, located } = await makeSeat(service.url, variables);
    expect((await startSession()).answer).toBe("{}");
    expect(service.requests).toEqual([]);
    expect(existsSync(located.memoryDir)).toBe(false);
  });

  it("says nothing where the project's own settings switch memory off", async () => {
    const service = await startStubService();
    const { startSession, clone } = await makeSeat(service.url);
    await writeFiles(clone, { ".claude/settings.json": { env: { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" } } });
    expect((await startSession()).answer).toBe("{}");
    expect(service.requests).toEqual([]);
  });

  it("says nothing in a project that has not been joined, and in a folder without one", async () => {
    const service = await startStubService();
    const { startSession, clone } = await makeSeat(service.url);
    const elsewhere = join(clone, "../notes");
    mkdirSync(elsewhere);
    expect((await startSession({ cwd: elsewhere })).answer).toBe("{}");
    expect(service.requests).toEqual([]);
  });

  it.each([
    ["steered_environment", { env: { TEAM_MEMORY_INSECURE: "s3cret" } }],
    ["steered_environment", { env: { HTTPS_PROXY: "s3cret" } }],
    ["steered_environment", "{ no JSON s3cret"],
  ])("refuses with one line, its code and what to do, and asks nothing: %s by %j", async (code, settings) => {
    const service = await startStubService();
    const { startSession, clone, located } = await makeSeat(service.url);
    await writeFiles(clone, { ".claude/settings.json": settings });
    const { context } = await startSession();
    expect(context).toMatch(new RegExp(`^Team memory is not available in this session: .*\\(${code}\\)\\. \\w`));
    expect(context).not.toContain("\n");
    expect(context).not.toContain("s3cret");
    expect(service.requests).toEqual([]);
    expect(existsSync(located.memoryDir)).toBe(false);
  });

  it("names a config of its own that is damaged, and shows nothing of it", async () => {
    const { startSession, env } = await makeSeat("http://127.0.0.1:9");
    await writeFiles(env.configDir, { "config.json": '{"token": "tmt_secret' });
    const { context } = await startSession();
    expect(context).toContain("(settings_invalid)");
    expect(context).not.toContain("tmt_");
  });

  it("names a folder that is not there", async () => {
    const { startSession, clone } = await makeSeat("http://127.0.0.1:9");
    expect((await startSession({ cwd: join(clone, "gone") })).context).toContain("(disk)");
  });
});
