import { connect } from "node:net";

export interface Polling {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const CONNECTIONS = 32;
const WINDOW_MS = 2_000;
const NOT_MODIFIED = "HTTP/1.1 304";

/**
 * How many requests the server answers with 304 in a few seconds, over kept-alive connections, one request under way on
 * each. Any other answer throws.
 */
export async function countPolls(polling: Polling): Promise<number> {
  const request = toRequest(polling);
  const until = Date.now() + WINDOW_MS;
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, () => pollUntil(polling.url, request, until)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function toRequest({ url, path, headers }: Polling): string {
  const lines = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** A 304 has no body: its head's empty line ends it. */
function pollUntil(url: string, request: string, until: number): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answers = 0;
    let pending = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setEncoding("latin1").setNoDelay(true);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`${url} closed the connection after ${answers} answers`)));
    socket.on("data", (chunk: string) => {
      pending += chunk;
      if (!pending.endsWith("\r\n\r\n")) return;
      if (!pending.startsWith(NOT_MODIFIED)) reject(new Error(`${url} answered ${pending.split("\r\n")[0]}`));
      pending = "";
      answers += 1;
      if (Date.now() < until) return void socket.write(request);
      resolve(answers);
      socket.destroy();
    });
  });
}
