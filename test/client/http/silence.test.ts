import { afterEach, describe, expect, it, vi } from "vitest";
import { callService } from "../../../client/http/call-service.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { startFront } from "./front.ts";

describe("callService to a service that hangs", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("gives a question up at its bound, naming the service and the wait, and not before", async () => {
    const { call, url } = await askSilence("GET");
    vi.advanceTimersByTime(LIMITS.answerTimeoutMs - 1);
    await expect(Promise.race([call, stillWaiting()])).resolves.toBe("waiting");
    vi.advanceTimersByTime(1);
    await expect(call).rejects.toMatchObject({ code: "timeout", message: `No answer from ${url} within 10 s` });
  });

  it("gives a question that may take longer the whole of that", async () => {
    const { call, url } = await askSilence("GET", LIMITS.joinTimeoutMs);
    vi.advanceTimersByTime(LIMITS.joinTimeoutMs - 1);
    await expect(Promise.race([call, stillWaiting()])).resolves.toBe("waiting");
    vi.advanceTimersByTime(1);
    await expect(call).rejects.toMatchObject({ code: "timeout", message: `No answer from ${url} within 60 s` });
  });

  it("gives a change the whole time of its call", async () => {
    const { call } = await askSilence("PUT");
    vi.advanceTimersByTime(LIMITS.answerTimeoutMs * 2);
    await expect(Promise.race([call, stillWaiting()])).resolves.toBe("waiting");
    call.catch(() => {});
  });

  it("names the service and the wait where the call's own time is shorter", async () => {
    const front = await startFront("http://127.0.0.1:9");
    front.behave = () => {};
    const service = { url: front.url, token: null, insecure: false };
    await expect(callService({ service, method: "GET", path: "/", timeoutMs: 100 })).rejects.toMatchObject({
      code: "timeout",
      message: `No answer from ${front.url} within 0.1 s`,
    });
  });
});

/** Once the service has the request: from then on only the fake clock runs. */
async function askSilence(method: "GET" | "PUT", timeoutMs?: number) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const front = await startFront("http://127.0.0.1:9");
  const asked = new Promise<void>((resolve) => {
    front.behave = (socket) => socket.once("data", () => resolve());
  });
  const service = { url: front.url, token: null, insecure: false };
  const call = callService({ service, method, path: "/", ...(timeoutMs !== undefined && { timeoutMs }) });
  await asked;
  return { call, url: front.url };
}

function stillWaiting(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => setImmediate(() => resolve("waiting"))));
}
