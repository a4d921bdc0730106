import type { FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { serve } from "../../../server/commands/serve.ts";
import type { ServerIo } from "../../../server/io.ts";

export interface Printed {
  readonly result: { readonly url: string; readonly join: { readonly command: string; readonly expiresAt: string } };
  readonly lines: string;
  readonly err: string;
  /** What was printed, in turn. */
  readonly order: readonly ("result" | "err")[];
  /** What listens. */
  readonly app: FastifyInstance;
  stop(): Promise<void>;
}

/** A start in this process, on a real port; what it has printed. */
export async function start(
  values: Readonly<Record<string, string>>,
  changes: Partial<Pick<ServerIo, "result">> = {},
): Promise<Printed> {
  const printed = { result: {}, lines: "", err: "", order: [] as string[], stop: async () => {} };
  const io: ServerIo = {
    json: false,
    program: "team-memory-server",
    result: (data, lines) => {
      printed.order.push("result");
      Object.assign(printed, { result: data, lines: lines.join("\n") });
    },
    err: (line) => {
      printed.order.push("err");
      printed.err += `${line}\n`;
    },
    findFreePort: async () => 0,
    startListening: async (app, at) => {
      await app.listen(at);
      Object.assign(printed, { app });
    },
    closeAtEnd: (close) => (printed.stop = () => close({})),
    endWith: (error) => {
      throw error;
    },
    ...changes,
  };
  await serve({ values: { "log-level": "silent", port: "0", ...values }, positionals: [] }, io);
  onTestFinished(() => printed.stop());
  return printed as unknown as Printed;
}
