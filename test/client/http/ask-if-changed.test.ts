import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { callService } from "../../../client/http/call-service.ts";
import { startFront } from "./front.ts";

const TAG = '"abc"';
const BODY = JSON.stringify({ text: "x".repeat(500_000) });

describe("callService with a question that a service may answer by nothing new", () => {
  it("gives the answer that nothing has changed, with its headers", async () => {
    const { ask, seen } = await openService([`HTTP/1.1 304 Not Modified\r\netag: ${TAG}\r\nx-more: yes\r\n\r\n`]);
    await expect(ask()).resolves.toMatchObject({ status: 304, headers: { etag: TAG, "x-more": "yes" } });
    expect(seen.connections).toBe(1);
  });

  it("gives a short answer that has come whole, decoded", async () => {
    const body = gzipSync('{"a":1}').toString("latin1");
    const encoded = `content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const { ask, seen } = await openService([`HTTP/1.1 200 OK\r\n${encoded}`]);
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe('{"a":1}');
    expect(seen.connections).toBe(1);
  });

  it.each([
    ["an answer in one piece", [`${toHead(BODY.length)}${BODY}`]],
    [
      "an answer in pieces, the first of a few bytes",
      ["HT", toHead(BODY.length).slice(2), BODY.slice(0, 9), BODY.slice(9)],
    ],
    ["early hints first", ["HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n", `${toHead(BODY.length)}${BODY}`]],
  ])("asks once for what has changed, too: %s", async (_, pieces) => {
    const { ask, seen } = await openService(pieces);
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body.toString()).toBe(BODY);
    expect(seen.connections).toBe(1);
    expect(seen.text.match(/GET /g)).toHaveLength(1);
  });

  it("leaves a 304 that is not plain to node:http: it is one", async () => {
    const { ask, seen } = await openService(["HTTP/1.1 304 Not Modified\r\n\r\n"]);
    await expect(ask()).resolves.toMatchObject({ status: 304 });
    expect(seen.connections).toBe(1);
  });

  it("says what it asks for as node:http does", async () => {
    const plain = await openService(["HTTP/1.1 304 Not Modified\r\n\r\n"]);
    await plain.ask();
    const full = await openService(["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"]);
    await full.ask({ "x-mark": "ü" }).catch(() => {});
    expect(toLines(plain.seen.text)).toEqual(toLines(full.seen.text).filter((line) => !line.startsWith("x-mark")));
  });

  it("sends no line that a value of ours brings along", async () => {
    const { ask, seen } = await openService(["HTTP/1.1 304 Not Modified\r\n\r\n"]);
    await expect(ask({ "if-none-match": `${TAG}\r\nx-smuggled: yes` })).rejects.toMatchObject({ code: "unreachable" });
    expect(seen.connections).toBe(0);
  });
});

/** Answers each connection with these pieces, a moment apart, and remembers what it was asked. */
async function openService(pieces: readonly string[]) {
  const seen = { connections: 0, text: "" };
  const front = await startFront("http://127.0.0.1:9");
  front.behave = (socket) => {
    seen.connections += 1;
    socket.on("data", (bytes) => {
      seen.text += bytes.toString("latin1");
    });
    socket.once("data", async () => {
      for (const piece of pieces) {
        socket.write(piece, "latin1");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      socket.end();
    });
  };
  const service = { url: front.url, token: "t", insecure: false };
  const ask = (headers = {}) =>
    callService({ service, method: "GET", path: "/a?b=c", headers: { "if-none-match": TAG, ...headers } });
  return { ask, seen };
}

function toHead(length: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

/** In any order and case: which port was asked is another matter. */
function toLines(text: string): string[] {
  const lines = text.trimEnd().split("\r\n");
  return lines.map((line) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase()).replace(/:\d+$/, "")).sort();
}
