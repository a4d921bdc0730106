import { once } from "node:events";
import { Agent, get } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fastify from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { closeApp } from "../../../server/commands/close-app.ts";

/** A service with one slow answer, on a real port. */
async function listen(answerMs: number) {
  const app = fastify();
  app.get("/", async () => {
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    return "done";
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { app, port };
}

async function time(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work;
  return performance.now() - startedAt;
}

describe("closeApp", () => {
  it("answers who asks, and does not wait for the connection that its client keeps", async () => {
    const { app, port } = await listen(200);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const asked = get({ agent, port, host: "127.0.0.1", path: "/" });
    const answered = once(asked, "response").then(([response]) => {
      response.resume();
      return response.statusCode;
    });
    await once(app.server, "request");
    expect(await time(closeApp(app))).toBeLessThan(2_000);
    expect(await answered).toBe(200);
  });

  it("cuts off who never ends, within its bound", async () => {
    const { app, port } = await listen(0);
    const accepted = once(app.server, "connection");
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    await accepted;
    await new Promise<void>((resolve) => void socket.write("POST / HTTP/1.1\r\nhost: x\r\n", () => resolve()));
    expect(await time(closeApp(app, 300))).toBeLessThan(2_000);
  });
});
