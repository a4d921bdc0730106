import { describe, expect, it } from "vitest";
import { updateUserConfig } from "../../../client/user-config.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startFront } from "../http/front.ts";
import { HANGING } from "../http/misbehaviours.ts";
import { startStubService } from "../stub-service.ts";
import { makeSeat } from "./support.ts";

/** The hook's own cap, and what a machine under load takes beside it. */
const CAP_MS = 2_000;
const LOAD_MS = 3_000;

async function seatBehindFront() {
  const service = await startStubService({ "a.md": memoryText("A") });
  const front = await startFront(service.url);
  const seat = await makeSeat(front.url);
  await seat.startSession();
  return { front, seat };
}

const page = (status: number) => `HTTP/1.1 ${status} x\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nNo`;

describe("at a session's start the service is out of reach", () => {
  it.each([
    ...HANGING,
    { name: "it resets the connection", behave: (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy() },
    ...[520, 521, 522, 523, 524, 525, 526, 530].map((status) => ({
      name: `whoever stands before it answers ${status}`,
      behave: (socket: { end(text: string): unknown }) => socket.end(page(status)),
    })),
  ])("$name: it starts within its cap, on the last good copy, with its age and the reason", async ({ behave }) => {
    const { front, seat } = await seatBehindFront();
    front.behave = behave;
    const startedAtMs = performance.now();
    const { context } = await seat.startSession();
    expect(performance.now() - startedAtMs).toBeLessThan(CAP_MS + LOAD_MS);
    const states = context.match(/the copy of .* ago, which may lack .* \((timeout|unreachable|bad_response)\)\.$/gm);
    expect(states).toHaveLength(1);
    expect(context).toContain("[A](a.md)");
  });

  it("no name server knows or tells its name: it starts within its cap, and says so", async () => {
    const { seat } = await seatBehindFront();
    await updateUserConfig(seat.env, ({ services, projects, ...config }) => ({
      ...config,
      services: services.map((service) => ({ ...service, url: "https://memory.invalid" })),
      projects: projects.map((project) => ({ ...project, service: "https://memory.invalid" })),
    }));
    seat.writeState("head.json", "{}");
    const startedAtMs = performance.now();
    const { context } = await seat.startSession();
    expect(performance.now() - startedAtMs).toBeLessThan(CAP_MS + LOAD_MS);
    expect(context).toMatch(/ \((timeout|unreachable)\)\.$/m);
    expect(context).toContain("[A](a.md)");
  });
});
