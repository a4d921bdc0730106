import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { CommandOptions } from "../../../client/command.ts";
import type { ClientEnvironment } from "../../../client/config.ts";
import type { Io } from "../../../client/io.ts";

/** What a command printed. */
export interface Printed {
  data: unknown;
  lines: readonly string[];
}

export function recordingIo(): { io: Io; printed: Printed } {
  const printed: Printed = { data: null, lines: [] };
  const io: Io = {
    json: false,
    out: () => {},
    outJson: () => {},
    err: () => {},
    progress: () => {},
    result: (data, lines) => {
      printed.data = data;
      printed.lines = lines;
    },
  };
  return { io, printed };
}

export interface Called {
  readonly env: ClientEnvironment;
  readonly cwd: string;
}

export function optionsOf(
  { env, cwd }: Called,
  values: CommandOptions["values"] = {},
  positionals: readonly string[] = [],
): CommandOptions {
  return { env, cwd, values, positionals };
}

export interface Asked {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly body: unknown;
}

export interface FakeService {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** Answers to `METHOD /path`: JSON with a status, at once or later, or what the test does with the socket. */
export type Answers = Readonly<Record<string, Said | Promise<Said>>>;

export type Said = { readonly status: number; readonly body: unknown } | "hang up";

/** A service on loopback that says what the test wants said, and remembers what it was asked. */
export async function fakeService(answers: Answers): Promise<FakeService> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const line = `${request.method} ${request.url?.split("?")[0]}`;
    const { authorization, "if-none-match": ifNoneMatch } = request.headers;
    asked.push({ line, authorization, ifNoneMatch, body: await readJson(request) });
    answer(response, await (answers[line] ?? { status: 404, body: failure("not_found") }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function failure(code: string) {
  return { error: { code, message: "No", details: {} } };
}

function answer(response: ServerResponse, said: Said): void {
  if (said === "hang up") return void response.destroy();
  response.writeHead(said.status, { "content-type": "application/json" }).end(JSON.stringify(said.body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? null : JSON.parse(text);
}
