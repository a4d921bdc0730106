import { writeSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { diskError, isErrno } from "./private-file.ts";

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

/**
 * Synchronous, so that nothing is left to flush when the process ends. `result` throws `disk` where nobody gets it: a
 * token is shown once. What goes to standard error is said to nobody, then.
 */
export function printTo(json: boolean): Pick<ServerIo, "json" | "result" | "err"> {
  return {
    json,
    err: (line) => void tryWrite(2, `${line}\n`),
    result: (data, lines) => {
      const problem = tryWrite(1, `${json ? JSON.stringify(data) : lines.join("\n")}\n`);
      if (problem !== null) throw diskError("write to", "standard output", problem);
    },
  };
}

/** Whole, also into a pipe that is full for the moment. What the system said where it could not; null: it could. */
function tryWrite(file: 1 | 2, text: string): unknown {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if (!isErrno(error, "EAGAIN")) return error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return null;
}

/** Whether the reader of the answer has gone away, as `head` does: there is nothing to say about it, and nobody to. */
export function isUnheard({ code, details }: TeamMemoryError): boolean {
  return code === "disk" && details["errno"] === "EPIPE";
}
