import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { run } from "../../support/run.ts";
import { type StubService, startStubService } from "../stub-service.ts";
import { makeSeat, type Seat } from "./support.ts";

const MAIN = fileURLToPath(new URL("../../../client/main.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

describe("hook, as the host runs it", () => {
  let service: StubService;
  let seat: Seat;

  beforeEach(async () => {
    service = await startStubService();
    seat = await makeSeat(service.url);
    mkdirSync(seat.located.teamDir, { recursive: true });
    writeFileSync(join(seat.located.teamDir, "feedback_testing.md"), memoryText("Real databases in tests"));
  });

  it("stop: the turn's end and the process that it leaves behind propose; the link is told in this turn or the next", async () => {
    await seat.startSession();
    writeFileSync(join(seat.located.teamDir, "project_new.md"), memoryText("New"));
    const said = [await callHook("stop")];
    await vi.waitFor(() => expect(service.puts).toHaveLength(1), { timeout: 10_000 });
    await vi.waitFor(async () => expect([...said, await callHook("stop")].join("")).toContain(service.puts[0]?.id), {
      timeout: 10_000,
    });
  });

  it("session-end: returns with nothing to say, and the process that it leaves behind proposes", async () => {
    await seat.startSession();
    writeFileSync(join(seat.located.teamDir, "project_new.md"), memoryText("New"));
    expect(await callHook("session-end")).toBe("");
    await vi.waitFor(() => expect(service.puts).toHaveLength(1), { timeout: 10_000 });
  });

  it("pre-tool-use: denies in one JSON object", async () => {
    const call = {
      tool_name: "Write",
      tool_input: { file_path: join(seat.located.teamDir, "MEMORY.md"), content: "" },
    };
    expect(JSON.parse(await callHook("pre-tool-use", call))).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
    });
  });

  it("stop: ends well and says nothing where the host says nothing", async () => {
    expect(await callHook("stop", null)).toBe("");
  });

  /** What it prints; it must end with exit 0. */
  async function callHook(event: string, input: object | null = {}): Promise<string> {
    const { home } = seat.env;
    mkdirSync(home, { recursive: true });
    const cwd = input === null ? home : seat.clone;
    const said = input === null ? "" : JSON.stringify({ cwd, ...input });
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const { code, stdout, stderr } = await run(process.execPath, ["--import", TSX, MAIN, "hook", event], {
      cwd,
      env,
      input: said,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout.trim();
  }
});
