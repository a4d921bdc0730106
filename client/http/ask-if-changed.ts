import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { toBareHost } from "./assert-safe-url.ts";
import type { Call, Lookup } from "./call.ts";
import { limitAnswering, limitConnecting } from "./limit-silence.ts";
import { type PlainAnswer, parsePlainAnswer } from "./parse-plain-answer.ts";

/**
 * Asks over a bare connection whether anything has changed: loading node:http takes longer than all the rest of a
 * session's start, and the answer is mostly no, or short. Understood here is a plain answer alone that comes in one piece.
 * Whatever else comes is for node:http to read, from its first byte on and with all its checks; nobody is asked twice.
 *
 * @returns the plain answer; else the connection, as if the request had just been sent
 */
export async function askIfChanged(call: Call, lookup: Lookup | null): Promise<FirstAnswer> {
  const socket = connect(toTarget(call.url, lookup));
  const endConnecting = limitConnecting(socket, call);
  const endSilence = limitAnswering(socket, call);
  socket.once("connect", () => {
    endConnecting();
    call.sending.isSent = true;
  });
  socket.write(toHead(call), "latin1");
  const first = await call.deadline.during(readFirst(socket), () => socket.destroy());
  endSilence();
  const answer = parsePlainAnswer(first, call.headers["if-none-match"]);
  if (answer === null) return { connection: toUnread(socket, first) };
  // Not at once: to destroy a socket Node opens standard error, too, and a session's start ends before its next turn.
  setImmediate(() => socket.destroy());
  return { answer };
}

export type FirstAnswer = { readonly answer: PlainAnswer } | { readonly connection: Duplex };

/** Of http alone, and of what fits into lines: node:http is the one to refuse anything else. */
export function isPlainQuestion({ url, method, headers }: Call): boolean {
  const lines = Object.values(headers);
  return (
    url.protocol === "http:" &&
    method === "GET" &&
    "if-none-match" in headers &&
    lines.every((line) => PRINTABLE.test(line))
  );
}

const PRINTABLE = /^[ -~]+$/;

function toTarget(url: URL, lookup: Lookup | null) {
  return { host: toBareHost(url.hostname), port: Number(url.port || 80), ...(lookup !== null && { lookup }) };
}

function toHead({ url, headers }: Call): string {
  const all = { host: url.host, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function readFirst(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    socket.once("data", (bytes: Buffer) => {
      socket.pause();
      resolve(bytes);
    });
    socket.once("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("hung up"), { code: "ECONNRESET" })));
  });
}

/** What is written to it was asked already, and goes nowhere. */
function toUnread(socket: Socket, first: Buffer): Duplex {
  const { Duplex, Writable } = process.getBuiltinModule("node:stream");
  socket.unshift(first);
  return Duplex.from({ readable: socket, writable: new Writable({ write: (_bytes, _encoding, done) => done() }) });
}
