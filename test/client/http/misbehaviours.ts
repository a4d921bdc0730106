/** Wrong answers of every kind, as bytes on a connection, each with the code that it must be told by. */
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { ErrorCode } from "../../../shared/errors/codes.ts";
import type { Behaviour } from "./front.ts";

export interface Misbehaviour {
  readonly name: string;
  readonly behave: Behaviour;
  readonly code: ErrorCode;
}

/** Each ends by the client's own clock, and by nothing else. */
export const HANGING: readonly Misbehaviour[] = [
  { name: "a black hole: it accepts and never answers", behave: () => {}, code: "timeout" },
  { name: "half a head, then silence", behave: (socket) => socket.write("HTTP/1.1 200 OK\r\ncont"), code: "timeout" },
  {
    name: "half a body, then silence",
    behave: onceAsked((socket) => socket.write(`${head({ "content-length": "1000" })}{"project":`)),
    code: "timeout",
  },
  {
    name: "a byte a second",
    behave: onceAsked((socket) => {
      socket.write(head({ "transfer-encoding": "chunked" }));
      drip(socket, "1\r\n \r\n", 1_000);
    }),
    code: "timeout",
  },
  {
    name: "early hints without end",
    behave: onceAsked((socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n", 50)),
    code: "timeout",
  },
];

/** What whoever answers at the address says at once. */
export const WRONG: readonly Misbehaviour[] = [
  { name: "hangs up", behave: (socket) => socket.destroy(), code: "unreachable" },
  { name: "hangs up once it was asked", behave: onceAsked((socket) => socket.destroy()), code: "unreachable" },
  { name: "no HTTP", behave: (socket) => socket.end("220 mail.example.org ESMTP\r\n"), code: "bad_response" },
  { name: "a page", behave: answers("<h1>Sign in</h1>", { type: "text/html" }), code: "bad_response" },
  { name: "a page that says it is JSON", behave: answers("<h1>Sign in</h1>"), code: "bad_response" },
  { name: "a proxy's 500", behave: answers("<h1>Oops</h1>", { status: 500, type: "text/html" }), code: "bad_response" },
  { name: "a 500 with a code that is none of ours", behave: answersError(500, "oops"), code: "bad_response" },
  { name: "a 500 of the service", behave: answersError(500, "internal"), code: "internal" },
  { name: "a token that is none any more", behave: answersError(401, "unauthorized"), code: "unauthorized" },
  { name: "a project that the token may not see", behave: answersError(404, "not_found"), code: "not_found" },
  { name: "a service that is too new", behave: answersError(426, "upgrade_required"), code: "upgrade_required" },
  { name: "a service without its remote", behave: answersError(503, "unavailable"), code: "unavailable" },
  { name: "JSON of another shape", behave: answers("[1,2,3]"), code: "bad_response" },
  { name: "JSON nested a million deep", behave: answers("[".repeat(1_000_000)), code: "bad_response" },
  { name: "no bytes at all", behave: answers(""), code: "bad_response" },
  { name: "bytes that are no UTF-8", behave: answers(Buffer.from([0x22, 0xff, 0xfe, 0x22])), code: "bad_response" },
  { name: "a gigabyte", behave: onceAsked((socket) => pour(socket, {})), code: "bad_response" },
  {
    name: "a gigabyte that says so",
    behave: onceAsked((socket) => pour(socket, { "content-length": `${1024 ** 3}` })),
    code: "bad_response",
  },
  { name: "a gzip bomb", behave: onceAsked((socket) => socket.end(bomb())), code: "bad_response" },
  { name: "damaged gzip", behave: answers("\x1f\x8b no gzip", { encoding: "gzip" }), code: "bad_response" },
  { name: "an encoding that was not offered", behave: answers("{}", { encoding: "br" }), code: "bad_response" },
  {
    name: "a body that ends before its length",
    behave: onceAsked((socket) => socket.end(`${head({ "content-length": "1000" })}{"project":`)),
    code: "bad_response",
  },
  {
    name: "a body that goes on after its length",
    behave: onceAsked((socket) => socket.end(`${head({ "content-length": "5" })}{"project":"x"}`)),
    code: "bad_response",
  },
  {
    name: "a length below nothing",
    behave: onceAsked((socket) => socket.end(`${head({ "content-length": "-1" })}{}`)),
    code: "bad_response",
  },
  {
    name: "chunks that break off",
    behave: onceAsked((socket) => socket.end(`${head({ "transfer-encoding": "chunked" })}ff\r\n{"project":`)),
    code: "bad_response",
  },
  {
    name: "headers over the bound",
    behave: onceAsked((socket) => socket.end(head({ "x-more": "x".repeat(100_000) }))),
    code: "bad_response",
  },
];

export const saysNothingIsNew: Behaviour = onceAsked((socket) => socket.end("HTTP/1.1 304 Not Modified\r\n\r\n"));

export const speaksNoTls: Behaviour = (socket) => socket.end("\x16\x03 no TLS");

/** To another address, where a token must not follow. */
export function redirectsTo(url: string): Behaviour {
  return onceAsked((socket) => socket.end(head({ location: url, "content-length": "0" }, "302 Found")));
}

function answers(
  body: string | Buffer,
  { status = 200, type = "application/json", encoding = "identity" } = {},
): Behaviour {
  const bytes = Buffer.from(body);
  const headers = { "content-type": type, "content-encoding": encoding, "content-length": `${bytes.length}` };
  return onceAsked((socket) => socket.end(Buffer.concat([Buffer.from(head(headers, `${status} Said`)), bytes])));
}

function answersError(status: number, code: string): Behaviour {
  return answers(JSON.stringify({ error: { code, message: "No", details: {} } }), { status });
}

/** Waits for the first bytes of the request, as a server does. */
function onceAsked(behave: Behaviour): Behaviour {
  return (socket) => socket.once("data", () => behave(socket));
}

function head(headers: Readonly<Record<string, string>>, status = "200 OK"): string {
  const all = { "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n`;
}

function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on("close", () => clearInterval(timer));
}

function pour(socket: Socket, headers: Readonly<Record<string, string>>): void {
  const chunk = Buffer.alloc(1024 ** 2, " ");
  let left = 1024;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(chunk)) return void socket.once("drain", more);
    }
  };
  socket.write(head(headers));
  more();
}

/** A gigabyte of blanks as a megabyte of gzip: many small members are one stream. */
function bomb(): Buffer {
  const members = Array.from({ length: 64 }, () => MEMBER);
  return Buffer.concat([Buffer.from(head({ "content-encoding": "gzip" })), ...members]);
}

const MEMBER = gzipSync(Buffer.alloc(16 * 1024 ** 2, " "));
