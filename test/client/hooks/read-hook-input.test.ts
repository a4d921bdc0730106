import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readHookInput } from "../../../client/hooks/read-hook-input.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { toInput } from "./support.ts";

const TIMEOUT_MS = 5_000;
const NOTHING = { cwd: null };

async function within<T>(timeoutMs: number, act: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const result = await act();
  expect(performance.now() - startedAtMs).toBeLessThan(timeoutMs);
  return result;
}

describe("readHookInput", () => {
  it("takes the session's folder, whatever else the host says", async () => {
    const input = toInput(JSON.stringify({ session_id: "1", cwd: "/home/ada/shop", source: "startup", more: [1] }));
    expect(await readHookInput(input, TIMEOUT_MS)).toEqual({ cwd: "/home/ada/shop" });
  });

  it("puts characters together that two chunks share", async () => {
    const bytes = Buffer.from(JSON.stringify({ cwd: "/home/ada/世界" }));
    const chunks = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await readHookInput(toInput(...chunks), TIMEOUT_MS)).toEqual({ cwd: "/home/ada/世界" });
  });

  it.each(["", " ", "hello", "{", "[]", "null", "7", '"cwd"', '{"cwd":7}', '{"cwd":null}', '{"cwd":""}', "\0"])(
    "says nothing of %j",
    async (text) => expect(await readHookInput(toInput(text), TIMEOUT_MS)).toEqual(NOTHING),
  );

  it("waits its time for a host that never closes the stream, and uses what it has said", async () => {
    const open = new PassThrough();
    open.write('{"cwd":"/home/ada/shop"}');
    const read = () => readHookInput(open as unknown as NodeJS.ReadStream, 50);
    expect(await within(2_000, read)).toEqual({ cwd: "/home/ada/shop" });
    const silent = new PassThrough() as unknown as NodeJS.ReadStream;
    expect(await within(2_000, () => readHookInput(silent, 50))).toEqual(NOTHING);
  });

  it("reads as much as its bound, and stops beyond it", async () => {
    const said = '{"cwd":"/home/ada/shop"}';
    const full = said + " ".repeat(LIMITS.hookInputSizeBytesMax - said.length);
    expect(await readHookInput(toInput(full), TIMEOUT_MS)).toEqual({ cwd: "/home/ada/shop" });
    const endless = new PassThrough();
    endless.write(`${full}!`);
    const read = () => readHookInput(endless as unknown as NodeJS.ReadStream, TIMEOUT_MS);
    expect(await within(TIMEOUT_MS / 2, read)).toEqual(NOTHING);
  });

  it("says nothing of a stream that fails, nor of a terminal", async () => {
    const failing = new PassThrough();
    const read = readHookInput(failing as unknown as NodeJS.ReadStream, TIMEOUT_MS);
    failing.destroy(new Error("EIO"));
    expect(await read).toEqual(NOTHING);
    const terminal = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
    expect(await readHookInput(terminal, TIMEOUT_MS)).toEqual(NOTHING);
  });
});
