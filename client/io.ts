import { writeSync } from "node:fs";
import { escapeForTerminal, escapeJson } from "./escape-for-terminal.ts";
import { sinceStartMs } from "./process-clock.ts";

/**
 * What a command prints through, each call a line of its own whatever is in it. One for the terminal, one for programs
 * (`--json`); tests give their own.
 */
export interface Io {
  readonly json: boolean;
  /** The command's answer: `data` as one line of JSON under `--json`, else `lines`. Once a command. */
  result(data: unknown, lines: readonly string[]): void;
  out(line: string): void;
  /** JSON, for a program that reads it. */
  outJson(json: string): void;
  err(line: string): void;
  /** What is going on, on standard error, once the command has run for a second: the latest of it then, and each since. */
  progress(text: string): void;
}

const PROGRESS_AFTER_MS = 1_000;

export function openIo(options: { readonly json: boolean; readonly now?: () => number }): Io {
  const now = options.now ?? sinceStartMs;
  const startedAtMs = now();
  let pending: NodeJS.Timeout | undefined;
  const out = (line: string) => writeWhole(1, `${escapeForTerminal(line)}\n`);
  const outJson = (json: string) => writeWhole(1, `${escapeJson(json)}\n`);
  const err = (line: string) => writeWhole(2, `${escapeForTerminal(line)}\n`);
  return {
    json: options.json,
    out,
    outJson,
    err,
    result: (data, lines) => {
      clearTimeout(pending);
      if (options.json) outJson(JSON.stringify(data));
      else lines.forEach(out);
    },
    progress: (text) => {
      clearTimeout(pending);
      const leftMs = PROGRESS_AFTER_MS - (now() - startedAtMs);
      if (leftMs <= 0) err(text);
      else pending = setTimeout(err, leftMs, text).unref();
    },
  };
}

/** Synchronous, so that nothing is left to flush when the process ends; a reader that went away is no failure of ours. */
function writeWhole(file: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
