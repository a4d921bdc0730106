import { writeSync } from "node:fs";
import type { FastifyInstance } from "fastify";

/** What a command of the service prints through, and what only a main file may do for it. Tests give their own. */
export interface ServerIo {
  readonly json: boolean;
  /** How the person calls this program, for lines that they can paste. */
  readonly program: string;
  /** The command's answer on standard output: `data` as one line of JSON under `--json`, else `lines`. */
  result(data: unknown, lines: readonly string[]): void;
  err(line: string): void;
  /** A port that is free at this moment. */
  findFreePort(host: string): Promise<number>;
  startListening(app: FastifyInstance, at: { readonly host: string; readonly port: number }): Promise<void>;
  /** Runs `close` once, on a signal or a fatal error, and then ends the process, within bounds. */
  closeAtEnd(close: (reason: { readonly signal?: string; readonly err?: Error }) => Promise<void>): void;
  /** Ends the process as a fatal error does. */
  endWith(error: Error): void;
}

/** Synchronous, so that nothing is left to flush when the process ends. */
export function printTo(json: boolean): Pick<ServerIo, "json" | "result" | "err"> {
  const print = (file: 1 | 2, text: string) => void writeSync(file, `${text}\n`);
  return {
    json,
    err: (line) => print(2, line),
    result: (data, lines) => print(1, json ? JSON.stringify(data) : lines.join("\n")),
  };
}
