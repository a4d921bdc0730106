import { chmod, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildCredentials, type TokenSource } from "../../../../server/git/remote/credentials.ts";
import { buildHttpClient, readAll } from "../../../../server/git/remote/http-client.ts";
import { LIMITS } from "../../../../shared/limits.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { TOKEN } from "./support.ts";

const GET = { path: "/x", accept: "*/*", body: null };
const TIMES = { idleTimeoutMs: 300, requestTimeoutMs: 1_000 };

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(url: string, token: TokenSource = { kind: "none" }) {
  return buildHttpClient(url, buildCredentials(token), TIMES);
}

describe("buildHttpClient", () => {
  it("takes an answer at the bound and none beyond it", async () => {
    const http = clientOf(await serve((_, response) => response.end("x".repeat(1000))));
    expect(await readAll(http(GET, 1000))).toHaveLength(1000);
    await expect(readAll(http(GET, 999))).rejects.toMatchObject({ code: "remote_refused" });
  });

  it.each([
    [301, "remote_denied"],
    [307, "remote_denied"],
    [401, "remote_denied"],
    [403, "remote_denied"],
    [404, "remote_denied"],
    [413, "remote_refused"],
    [429, "remote_unreachable"],
    [500, "remote_unreachable"],
    [503, "remote_unreachable"],
  ])("takes status %i for %s", async (status, code) => {
    const http = clientOf(await serve((_, response) => response.writeHead(status).end("a page")));
    await expect(readAll(http(GET, 100))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`${status}`),
    });
  });

  it("follows no redirect, so that the token goes nowhere else", async () => {
    const asked: string[] = [];
    const elsewhere = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(302, { location: elsewhere }).end());
    await expect(readAll(clientOf(url, { kind: "text", token: TOKEN })(GET, 100))).rejects.toThrow();
    expect(asked).toEqual([]);
  });

  it.each([
    ["never answers", () => {}],
    ["stops in the middle", (response: ServerResponse) => response.writeHead(200).write("half")],
  ])("ends a remote that %s", async (_, answer) => {
    const http = clientOf(await serve((_request, response) => void answer(response)));
    await expect(readAll(http(GET, 100))).rejects.toMatchObject({ code: "remote_unreachable", message: /in time/ });
  });

  it("keeps its connection between two requests", async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("x");
    });
    const http = clientOf(url);
    for (let count = 0; count < 3; count += 1) await readAll(http(GET, 10));
    expect(ports.size).toBe(1);
  });

  it("asks again where a kept connection has ended meanwhile, and not where a new one ends", async () => {
    const used = new Set<unknown>();
    let count = 0;
    const url = await serve(({ socket }, response) => {
      count += 1;
      if (used.has(socket)) socket.destroy();
      else response.end("x");
      used.add(socket);
    });
    const http = clientOf(url);
    await readAll(http(GET, 10));
    expect((await readAll(http(GET, 10))).toString()).toBe("x");
    expect(count).toBe(3);
    const dead = clientOf(await serve(({ socket }) => socket.destroy()));
    await expect(readAll(dead(GET, 10))).rejects.toMatchObject({ code: "remote_unreachable", message: /ECONNRESET/ });
  });

  it.each(["file", "askpass"] as const)("reads a token from a %s again when it is refused, once", async (kind) => {
    let wanted = "first";
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(request.headers.authorization === basic(wanted) ? 200 : 401).end();
    });
    const path = join(await tempDir(), "token");
    await writeFile(path, "first\n");
    const http = clientOf(url, kind === "file" ? { kind, path } : { kind, command: ["/bin/cat", path] });
    await readAll(http(GET, 10));
    wanted = "second";
    await writeFile(path, "second\n");
    await readAll(http(GET, 10));
    expect(asked).toEqual([basic("first"), basic("first"), basic("second")]);
    wanted = "third";
    await expect(readAll(http(GET, 10))).rejects.toMatchObject({ code: "remote_denied" });
    expect(asked).toHaveLength(4);
  });
});

describe("buildCredentials", () => {
  it.each([
    ["no token", { kind: "none" }, null],
    ["a token alone", { kind: "text", token: "abc" }, `Basic ${btoa("x-access-token:abc")}`],
    ["a user and a token", { kind: "text", token: " ann:abc\n" }, `Basic ${btoa("ann:abc")}`],
  ] as const)("makes a header of %s", async (_, source, expected) => {
    expect(await buildCredentials(source).header()).toBe(expected);
  });

  it.each<[string, TokenSource]>([
    ["an empty file", { kind: "file", path: "/dev/null" }],
    ["no file", { kind: "file", path: "/nowhere/token" }],
    ["two words", { kind: "text", token: `${TOKEN} ${TOKEN}` }],
    ["a header of its own", { kind: "text", token: `${TOKEN}\r\nx: y` }],
    ["too long a token", { kind: "text", token: "x".repeat(LIMITS.remoteTokenLengthMax + 1) }],
    ["a program that is not there", { kind: "askpass", command: ["/nowhere/askpass"] }],
    ["a program that fails", { kind: "askpass", command: ["/bin/sh", "-c", `echo ${TOKEN}; exit 1`] }],
    ["a program without end", { kind: "askpass", command: ["/usr/bin/yes", TOKEN] }],
  ])("refuses %s without repeating it", async (_, source) => {
    const error = await buildCredentials(source)
      .header()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "remote_denied" });
    const { message, details, stack, cause } = error as Error & { details: unknown };
    expect(JSON.stringify([message, details, stack, String(cause)])).not.toContain(TOKEN);
  });

  it("runs the program without a shell", async () => {
    const path = join(await tempDir(), "ask pass; true");
    await writeFile(path, `#!/bin/sh\nprintf '%s' "$1"\n`);
    await chmod(path, 0o755);
    const header = await buildCredentials({ kind: "askpass", command: [path, "$(id)"] }).header();
    expect(header).toBe(basic("$(id)"));
  });
});

function basic(token: string): string {
  return `Basic ${btoa(`x-access-token:${token}`)}`;
}
