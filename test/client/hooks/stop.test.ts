import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { propose } from "../../../client/hooks/propose.ts";
import { stop } from "../../../client/hooks/stop.ts";
import { updateUserConfig } from "../../../client/user-config.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type StubService, startStubService } from "../stub-service.ts";
import { makeSeat, type Seat, toInput } from "./support.ts";

/** Without a process of its own; stop-processes.test.ts has the real one. */
const detached = vi.hoisted(() => ({ run: async (_cwd: string, _args: readonly string[]): Promise<void> => {} }));
vi.mock("../../../client/hooks/run-detached.ts", () => ({
  runDetached: (cwd: string, args: readonly string[]) => detached.run(cwd, args),
}));

describe("stop", () => {
  let service: StubService;
  let seat: Seat;
  let proposing: string[];

  beforeEach(async () => {
    service = await startStubService({ "feedback_testing.md": memoryText("Real databases in tests") });
    seat = await makeSeat(service.url);
    proposing = [];
    detached.run = async (cwd, args) => {
      proposing.push(`${cwd} ${args.join(" ")}`);
      await proposeNow();
    };
    await seat.startSession();
    await aged();
    expect(await endTurn()).toBeNull();
    service.requests.length = 0;
    proposing.length = 0;
  });

  it("proposes what changed, and tells the user in one line with the link", async () => {
    write("project_new.md", memoryText("New"));
    const said = await endTurn();
    expect(service.puts.map(({ request }) => request.changes.map(({ key }) => key))).toEqual([["project_new.md"]]);
    expect(said).toBe(`Team memory: proposed to the team (http://stub/review/${service.puts[0]?.id}): project_new.md`);
    expect(proposing).toEqual([`${seat.clone} hook propose`]);
  });

  it("neither asks the service nor starts a process where nothing changed", async () => {
    expect(await endTurn()).toBeNull();
    expect({ proposing, requests: service.requests }).toEqual({ proposing: [], requests: [] });
  });

  it.each<[string, () => void]>([
    ["a file is rewritten with as many characters", () => write("project_new.md", memoryText("Now"))],
    ["a file is there in a new folder", () => write("store/a.md", memoryText("A"))],
    ["a file is gone", () => rmSync(join(seat.located.teamDir, "project_new.md"))],
  ])("looks again where %s", async (_, change) => {
    write("project_new.md", memoryText("New"));
    await endTurn();
    await aged();
    await endTurn();
    proposing.length = 0;
    expect(await endTurn()).toBeNull();
    expect(proposing).toEqual([]);
    change();
    await endTurn();
    expect(proposing).toHaveLength(1);
  });

  it("says nothing in a turn that another hook continued, and says it in the next", async () => {
    write("project_new.md", memoryText("New"));
    expect(await endTurn({ stop_hook_active: true })).toBeNull();
    await vi.waitFor(() => expect(service.puts).toHaveLength(1));
    await vi.waitFor(async () => expect(await endTurn()).toMatch(/proposed to the team/));
    expect(await endTurn()).toBeNull();
  });

  it("waits no longer than its bound for a proposal that takes its time, and says later what came of it", async () => {
    let ended = () => {};
    detached.run = () => new Promise((resolve) => (ended = resolve));
    write("project_new.md", memoryText("New"));
    const startedAtMs = performance.now();
    expect(await endTurn()).toBeNull();
    const elapsedMs = performance.now() - startedAtMs;
    expect(elapsedMs).toBeGreaterThan(LIMITS.turnEndWaitMs - 50);
    expect(elapsedMs).toBeLessThan(LIMITS.turnEndWaitMs + 1_000);
    ended();
    await aged();
    await proposeNow();
    expect(await endTurn()).toMatch(/proposed to the team .*project_new.md/);
  });

  it("says once that the service cannot be reached, and proposes when it can be", async () => {
    service.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    write("project_new.md", memoryText("New"));
    expect(await endTurn()).toMatch(/nothing could be proposed, the next turn tries again: .*\(unreachable\)/);
    expect(await endTurn()).toBeNull();
    service.intercept = null;
    await vi.waitFor(async () => expect(await endTurn()).toMatch(/proposed to the team/));
  });

  it("waits once for a service that does not answer, and not again in every turn", async () => {
    service.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    write("project_new.md", memoryText("New"));
    expect(await endTurn()).toMatch(/nothing could be proposed/);
    let started = 0;
    detached.run = () => {
      started += 1;
      return new Promise(() => {});
    };
    const startedAtMs = performance.now();
    expect(await endTurn()).toBeNull();
    expect(started).toBe(1);
    expect(performance.now() - startedAtMs).toBeLessThan(LIMITS.turnEndWaitMs);
  });

  it("says what the service's rules keep from being proposed, once until it is changed", async () => {
    write("project_new.md", "no frontmatter\n");
    await aged();
    expect(await endTurn()).toMatch(/not proposed: .*project_new.md.*\(invalid_memory\); 1 waits for you/);
    expect(await endTurn()).toBeNull();
    write("project_new.md", "still no frontmatter\n");
    await aged();
    expect(await endTurn()).toMatch(/not proposed/);
    expect(service.puts).toEqual([]);
  });

  it("with the setting to be asked, says what waits and how to send it, and sends nothing", async () => {
    await updateUserConfig(seat.env, (config) => ({ ...config, propose: "ask" }));
    write("project_new.md", memoryText("New"));
    await aged();
    expect(await endTurn()).toBe("Team memory: project_new.md waits to be proposed; to send it: team-memory push");
    expect(await endTurn()).toBeNull();
    write("project_other.md", memoryText("Other"));
    expect(await endTurn()).toMatch(/project_new.md, project_other.md wait to be proposed; to send them/);
    expect({ proposing, requests: service.requests }).toEqual({ proposing: [], requests: [] });
    await proposeNow();
    await endTurn();
    write("project_third.md", memoryText("Third"));
    expect(await endTurn()).toMatch(/: project_third.md waits/);
  });

  it.each([
    ["malformed input", "{,}"],
    ["no input", ""],
  ])("looks at its own folder with %s", async (_, text) => {
    write("project_new.md", memoryText("New"));
    expect(await stop(options(), toInput(text))).toMatch(/proposed to the team/);
  });

  it("is about the folder that the session was started in, wherever the agent is by now", async () => {
    const { env } = seat;
    const started = { ...env, claude: { ...env.claude, projectDir: seat.clone } };
    write("project_new.md", memoryText("New"));
    const event = toInput(JSON.stringify({ cwd: dirname(seat.clone), stop_hook_active: false }));
    expect(await stop({ ...options(), env: started, cwd: "/" }, event)).toMatch(/proposed to the team/);
  });

  it("says nothing where the project was not joined, nor where its settings steer us", async () => {
    write("project_new.md", memoryText("New"));
    expect(await stop({ ...options(), cwd: "/" }, toInput('{"cwd":"/"}'))).toBeNull();
    mkdirSync(join(seat.clone, ".claude"));
    writeFileSync(join(seat.clone, ".claude/settings.json"), '{"env":{"TEAM_MEMORY_SERVER":"http://evil"}}');
    expect(await endTurn()).toBeNull();
    expect(service.requests).toEqual([]);
  });

  /** What the user is told; null where that is nothing. */
  async function endTurn(event: object = {}): Promise<string | null> {
    const said = { cwd: seat.clone, hook_event_name: "Stop", stop_hook_active: false, ...event };
    const answer = await stop(options(), toInput(JSON.stringify(said)));
    if (answer === null) return null;
    const { systemMessage, ...others } = JSON.parse(answer);
    expect(others).toEqual({});
    return systemMessage;
  }

  function options() {
    return { env: seat.env, cwd: seat.clone, positionals: ["stop"], values: {} };
  }

  function proposeNow(): Promise<null> {
    return propose(options());
  }

  function write(key: string, text: string): void {
    const path = join(seat.located.teamDir, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
});

/** Until no file is so young that the disk might give another change the same time. */
function aged(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LIMITS.folderTimeGrainMs + 10));
}
