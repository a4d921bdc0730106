/** Stands before a service and counts what it is asked. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { OnEnd } from "./teardown.ts";

export interface CountingProxy {
  readonly url: string;
  /** Method and path, as they came. */
  readonly asked: string[];
}

export async function startCountingProxy(target: string, onEnd: OnEnd): Promise<CountingProxy> {
  const asked: string[] = [];
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming;
    asked.push(`${method} ${url?.split("?")[0]}`);
    const onward = request(new URL(url ?? "/", target), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
