/**
 * The token that the remote asks for: from a file, from the environment or from a program. It is read again when the
 * remote refuses it, so that one which was changed there needs no restart. It is never part of an address, an
 * argument, an error or a log.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { errorCodeOf } from "../translate-git-error.ts";
import { askOnce, type OnceAsked } from "./ask-once.ts";

/** Where the token comes from; at most one of the three is given. */
export type TokenSource =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly token: string }
  | { readonly kind: "file"; readonly path: string }
  /** A program and its arguments, run without a shell; it prints the token. */
  | { readonly kind: "askpass"; readonly command: readonly [string, ...string[]] };

export interface Credentials {
  /** Value of the Authorization header, or null where there is no token. */
  header(): Promise<string | null>;
  /** Reads the token again; whether it is another one than was refused. */
  renew(refused: string | null): Promise<boolean>;
}

/** Forges take any name beside a token, but not an empty one. */
const USER = "x-access-token";

/** Both reject with `remote_denied` where the token cannot be read. */
export function buildCredentials(source: TokenSource): Credentials {
  const tokens = buildTokens(source);
  const header = { get: async () => toHeader(await tokens.get()), forget: tokens.forget };
  return {
    header: header.get,
    renew: async (refused) => {
      if ((await header.get()) === refused) header.forget();
      return (await header.get()) !== refused;
    },
  };
}

/** What the source says, `user:token` or a token alone; null where there is none. Rejects with `remote_denied`. */
export function buildTokens(source: TokenSource): OnceAsked<string | null> {
  return askOnce(async () => (source.kind === "none" ? null : parseToken(await readToken(source))));
}

function toHeader(token: string | null): string | null {
  if (token === null) return null;
  const pair = token.includes(":") ? token : `${USER}:${token}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function parseToken(text: string): string {
  const token = text.trim();
  if (/^[!-~]+$/u.test(token) && token.length <= LIMITS.remoteTokenLengthMax) return token;
  throw denied("it is empty, too long, or more than one word");
}

async function readToken(source: Exclude<TokenSource, { kind: "none" }>): Promise<string> {
  if (source.kind === "text") return source.token;
  return source.kind === "file" ? readTokenFile(source.path) : askProgram(source.command);
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw denied(`its file cannot be read (${errorCodeOf(error) ?? "unknown"})`);
  }
}

/** What it prints besides, and the error that carries it, go nowhere: it may be the token. */
async function askProgram([program, ...args]: readonly [string, ...string[]]): Promise<string> {
  try {
    const running = promisify(execFile)(program, args, {
      timeout: LIMITS.askpassTimeoutMs,
      maxBuffer: LIMITS.remoteTokenLengthMax * 2,
      killSignal: "SIGKILL",
    });
    running.child.stdin?.on("error", () => {}).end();
    return (await running).stdout;
  } catch (error) {
    const isLate = error instanceof Error && "killed" in error && error.killed === true;
    throw denied(isLate ? "its program did not end in time" : "its program failed");
  }
}

function denied(why: string): TeamMemoryError {
  return new TeamMemoryError("remote_denied", `could not read the token of the remote: ${why}`);
}
