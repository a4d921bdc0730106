import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { sessionEnd } from "../../../client/hooks/session-end.ts";
import { updateUserConfig } from "../../../client/user-config.ts";
import { makeSeat, type Seat, toInput } from "./support.ts";

/** Whether and where a process is started; session-end-process.test.ts has the real one. */
const detached = vi.hoisted(() => ({ calls: [] as string[] }));
vi.mock("../../../client/hooks/run-detached.ts", () => ({
  runDetached: (cwd: string, args: readonly string[]) => {
    detached.calls.push(`${cwd} ${args.join(" ")}`);
    return new Promise(() => {});
  },
}));

describe("sessionEnd", () => {
  let seat: Seat;

  beforeEach(async () => {
    seat = await makeSeat("http://127.0.0.1:9");
    detached.calls.length = 0;
    mkdirSync(seat.located.teamDir, { recursive: true });
    writeFileSync(join(seat.located.teamDir, "a.md"), "new");
  });

  it("starts a process that proposes, and does not wait for it", async () => {
    expect(await end(seat.clone)).toBeNull();
    expect(detached.calls).toEqual([`${seat.clone} hook propose`]);
  });

  it("starts none where the user wants to be asked", async () => {
    await updateUserConfig(seat.env, (config) => ({ ...config, propose: "ask" }));
    await end(seat.clone);
    expect(detached.calls).toEqual([]);
  });

  it("starts none where the project was not joined", async () => {
    await end("/");
    expect(detached.calls).toEqual([]);
  });

  function end(cwd: string): Promise<null> {
    const event = { cwd, hook_event_name: "SessionEnd", reason: "other" };
    return sessionEnd({ env: seat.env, cwd, positionals: ["session-end"], values: {} }, toInput(JSON.stringify(event)));
  }
});
