import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { Call, Lookup } from "./call.ts";
import { limitAnswering, limitConnecting } from "./limit-silence.ts";

/** How to reach the service: null for the system's own look-up. Or a connection over which the same was asked already. */
export type Way = { readonly lookup: Lookup | null } | { readonly connection: Duplex };

/** One request over Node's own http, which is loaded here: most starts of a session do without. */
export async function exchange(call: Call, way: Way): Promise<IncomingMessage> {
  const { url, method, headers, body, deadline } = call;
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const sent = request(url, { method, headers, ...toOptions(way) });
  const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on("response", resolve).on("error", reject));
  if ("lookup" in way) limitConnect(sent, call);
  sent.once("response", limitAnswering(sent, call));
  sent.end(body ?? undefined);
  return await deadline.during(answer, () => sent.destroy());
}

function toOptions(way: Way): RequestOptions {
  if ("connection" in way) return { createConnection: () => way.connection };
  return { agent: false, ...(way.lookup !== null && { lookup: way.lookup }) };
}

function limitConnect(sent: ClientRequest, call: Call): void {
  const endConnecting = limitConnecting(sent, call);
  sent.once("socket", (socket) => {
    socket.once("connect", endConnecting);
    socket.once(call.url.protocol === "https:" ? "secureConnect" : "connect", () => {
      call.sending.isSent = true;
    });
  });
}
