/**
 * A local stand-in for the Messages API, enough to drive whole sessions of the real client without a network: each
 * request is recorded and answered with one scripted block, streamed as the real one streams it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { OnEnd } from "./teardown.ts";

export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

export interface MessagesRequest {
  /** The whole body as it arrived: what the model would have read. */
  readonly text: string;
  readonly model: string;
  readonly stream: boolean;
}

export interface MessagesApi {
  readonly url: string;
  readonly requests: readonly MessagesRequest[];
}

/** `script` gives the block that answers a request; `index` counts them from 0. */
export type Script = (request: MessagesRequest, index: number) => Block;

const DONE: Block = { type: "text", text: "Done." };

export async function startMessagesApi(onEnd: OnEnd, script: Script = () => DONE): Promise<MessagesApi> {
  const requests: MessagesRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing, (request) => script(request, requests.push(request) - 1));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  next: (request: MessagesRequest) => Block,
): Promise<void> {
  const text = await readBody(incoming);
  if (incoming.method !== "POST" || !/^\/v1\/messages(\?|$)/.test(incoming.url ?? "")) {
    outgoing.writeHead(incoming.method === "HEAD" ? 200 : 404).end();
    return;
  }
  const { model, stream } = JSON.parse(text) as { model: string; stream?: boolean };
  const block = next({ text, model, stream: stream === true });
  const message = toMessage(model, block);
  if (stream === true) streamMessage(outgoing, message, block);
  else outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function toMessage(model: string, block: Block) {
  const content = block.type === "text" ? block : { ...block, id: `toolu_${Date.now()}` };
  const stopReason = block.type === "text" ? "end_turn" : "tool_use";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const frame = { id: `msg_${Date.now()}`, type: "message", role: "assistant", model };
  return { ...frame, content: [content], stop_reason: stopReason, stop_sequence: null, usage };
}

function streamMessage(outgoing: ServerResponse, message: ReturnType<typeof toMessage>, block: Block): void {
  const [content] = message.content;
  const [empty, delta] =
    block.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: block.text },
        ]
      : [
          { ...content, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        ];
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: empty },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage },
    { type: "message_stop" },
  ];
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}
