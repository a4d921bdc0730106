import { connect } from "node:net";
import type { InjectOptions } from "fastify";
import { bearer, openPort, openTestApp, realEngine } from "../open-test-app.ts";

export const SHOP_PATH = "/v1/projects/github.com~acme~shop";
export const PROPOSAL_PATH = `${SHOP_PATH}/proposals/01JH0000000000000000000000`;
export const MEMORY = "---\nname: Testing\ndescription: Real databases\ntype: feedback\n---\nUse one.\n";

/** The whole service, its engine real, listening on loopback; and every way to speak to it. */
export async function openTarget() {
  const test = await openTestApp({ engine: realEngine });
  const port = await openPort(test.app);
  const token = await test.tokenFor("contributor");
  return {
    ...test,
    port,
    token,
    /** Bytes over a socket, for what no client library sends. */
    raw: (bytes: string | Buffer, options: RawOptions = {}) => exchange(port, bytes, options),
    /** A well-formed request with a token, but for what the case changes. */
    call: (options: InjectOptions) =>
      test.app.inject({ ...options, headers: { ...bearer(token), ...options.headers } }),
    /** All references: what was written shows here. */
    refs: () => test.git.readRefs("refs/"),
  };
}

export type Target = Awaited<ReturnType<typeof openTarget>>;

/** One case of the corpus; asserts by itself. */
export type Check = (target: Target) => Promise<void>;

interface RawOptions {
  /** Sent after the first bytes, again and again, until the service closes. */
  readonly endless?: string;
  /** Ends the exchange early. */
  readonly until?: (received: string) => boolean;
  /** Hangs up after this time. */
  readonly waitMs?: number;
}

/** Writes bytes to a socket and reads until the service closes it, or until it has waited long enough. */
function exchange(
  port: number,
  bytes: string | Buffer,
  { endless, until, waitMs = 3_000 }: RawOptions,
): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(bytes);
      if (endless !== undefined) feed(endless);
    });
    const feed = (text: string) => {
      while (!socket.destroyed && socket.write(text));
      socket.once("drain", () => feed(text));
    };
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(finish, waitMs);
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      received += chunk;
      if (until?.(received)) finish();
    });
    socket.on("error", finish).on("close", finish);
  });
}

/** Status of the first answer in what a socket received; 0 where none came. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

/** A request by hand. */
export function head(line: string, ...headers: readonly string[]): string {
  return `${line} HTTP/1.1\r\n${["Host: x", ...headers].join("\r\n")}\r\n\r\n`;
}

export function proposal(key: unknown, text: unknown = MEMORY) {
  return { seq: 1, changes: [{ key, baseBlob: null, text }] };
}
