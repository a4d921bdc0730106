import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { eventFolder } from "../../../client/hooks/hook-event.ts";
import { readHookEvent } from "../../../client/hooks/read-hook-event.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toInput } from "./support.ts";

const TIMEOUT_MS = 5_000;
const NOTHING = { cwd: null };

async function readFolder(input: NodeJS.ReadStream, timeoutMs: number) {
  return { cwd: eventFolder(await readHookEvent(input, timeoutMs)) };
}

async function within<T>(timeoutMs: number, act: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const result = await act();
  expect(performance.now() - startedAtMs).toBeLessThan(timeoutMs);
  return result;
}

describe("readHookEvent", () => {
  it("takes the session's folder, whatever else the host says", async () => {
    const input = toInput(JSON.stringify({ session_id: "1", cwd: "/home/ada/shop", source: "startup", more: [1] }));
    expect(await readFolder(input, TIMEOUT_MS)).toEqual({ cwd: "/home/ada/shop" });
  });

  it("puts characters together that two chunks share", async () => {
    const bytes = Buffer.from(JSON.stringify({ cwd: "/home/ada/世界" }));
    const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await readFolder(toInput(...chunks), TIMEOUT_MS)).toEqual({ cwd: "/home/ada/世界" });
  });

  it.each(["", " ", "hello", "{", "[]", "null", "7", '"cwd"', '{"cwd":7}', '{"cwd":null}', '{"cwd":""}', "\0"])(
    "says nothing of %j",
    async (text) => expect(await readFolder(toInput(text), TIMEOUT_MS)).toEqual(NOTHING),
  );

  it("does not wait for the end of the stream where a whole object was said, also over several chunks", async () => {
    const open = new PassThrough();
    open.write('{"more":{},"cwd":{}');
    setTimeout(() => open.write(',"cwd":"/home/ada/shop"}\n'), 20);
    const read = () => readFolder(open as unknown as NodeJS.ReadStream, TIMEOUT_MS);
    expect(await within(TIMEOUT_MS / 2, read)).toEqual({ cwd: "/home/ada/shop" });
  });

  it.each(["", '{"cwd":"/home/ada', '{"cwd":"/home/ada/shop"} more'])(
    "waits its time for a host that never closes the stream: after %j",
    async (text) => {
      const open = new PassThrough();
      open.write(text);
      expect(await within(2_000, () => readFolder(open as unknown as NodeJS.ReadStream, 50))).toEqual(NOTHING);
    },
  );

  it("reads as much as its bound, and stops beyond it", async () => {
    const said = '{"cwd":"/home/ada/shop"}';
    const full = said + " ".repeat(LIMITS.hookInputSizeBytesMax - said.length);
    expect(await readFolder(toInput(full), TIMEOUT_MS)).toEqual({ cwd: "/home/ada/shop" });
    const endless = new PassThrough();
    endless.write(`${full}!`);
    const read = () => readFolder(endless as unknown as NodeJS.ReadStream, TIMEOUT_MS);
    expect(await within(TIMEOUT_MS / 2, read)).toEqual(NOTHING);
    const whole = `{"cwd":"${"x".repeat(LIMITS.hookInputSizeBytesMax)}"}`;
    expect(await readFolder(toInput(whole), TIMEOUT_MS)).toEqual(NOTHING);
  });

  it("says nothing of a stream that fails, nor of a terminal", async () => {
    const failing = new PassThrough();
    const read = readFolder(failing as unknown as NodeJS.ReadStream, TIMEOUT_MS);
    failing.destroy(new Error("EIO"));
    expect(await read).toEqual(NOTHING);
    const terminal = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
    expect(await readFolder(terminal, TIMEOUT_MS)).toEqual(NOTHING);
  });
});
