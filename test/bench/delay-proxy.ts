import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { OnEnd } from "../support/teardown.ts";

/**
 * A TCP proxy that puts a network's distance between a client and `url`: every byte is half a round trip under way, and
 * a connection's first byte waits one round trip more, for the handshake that loopback did at once. The address of it.
 */
export async function startDelayProxy(url: string, roundTripMs: number, onEnd: OnEnd): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const openAt = Date.now() + roundTripMs;
    forward(near, far, () => Math.max(openAt - Date.now(), 0) + roundTripMs / 2);
    forward(far, near, () => roundTripMs / 2);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(async () => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** In order: a chunk never overtakes the one before it. */
function forward(from: Socket, to: Socket, delayMs: () => number): void {
  let arrivesAt = 0;
  const later = (deliver: () => void) => {
    arrivesAt = Math.max(Date.now() + delayMs(), arrivesAt);
    setTimeout(deliver, arrivesAt - Date.now());
  };
  from.setNoDelay(true);
  from.on("data", (chunk) => later(() => to.write(chunk)));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => to.destroy());
  from.on("close", () => later(() => to.destroy()));
}
