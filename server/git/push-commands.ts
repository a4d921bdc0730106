/**
 * What a push asks for, read from the head of its body before any child is started: `old new ref`, the first line with
 * the client's capabilities after a NUL, up to a flush. The rest of the body is the pack.
 */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { FLUSH, parsePktLine, toPktLine } from "./pkt-line.ts";

export interface PushCommand {
  readonly ref: string;
  /** Null: the reference is created. */
  readonly old: string | null;
  /** Null: it is deleted. */
  readonly new: string | null;
}

export interface PushHead {
  readonly commands: readonly PushCommand[];
  readonly capabilities: ReadonlySet<string>;
}

const COMMAND_SIZE_BYTES_MAX = 1024;
const HEAD_SIZE_BYTES_MAX = LIMITS.gitCommandsPerPushMax * COMMAND_SIZE_BYTES_MAX;
const ZEROS = "0".repeat(40);

/**
 * The commands at the head of `body`, and the whole body again. Throws `bad_request` for what is not a push,
 * `too_large` past the bound on commands.
 */
export async function readPushHead(
  body: AsyncIterable<Buffer>,
): Promise<{ head: PushHead; body: AsyncIterable<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  for (;;) {
    const head = parsePushHead(read);
    if (head !== null) return { head, body: rejoin(read, chunks) };
    const next = await chunks.next();
    if (next.done) throw new TeamMemoryError("bad_request", "could not read the push: it ends within its commands");
    read = Buffer.concat([read, next.value]);
  }
}

async function* rejoin(read: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield read;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Null while more must arrive. */
export function parsePushHead(bytes: Buffer): PushHead | null {
  const lines: string[] = [];
  for (let at = 0; ; ) {
    const found = readLine(bytes, at);
    if (found === null) {
      if (bytes.length > HEAD_SIZE_BYTES_MAX) throw tooMany();
      return null;
    }
    if (found.line.kind === "flush") return toPushHead(lines);
    if (lines.length === LIMITS.gitCommandsPerPushMax) throw tooMany();
    lines.push(found.line.payload.toString("utf8"));
    at = found.next;
  }
}

function readLine(bytes: Buffer, at: number): ReturnType<typeof parsePktLine> {
  try {
    return parsePktLine(bytes, at);
  } catch (cause) {
    throw new TeamMemoryError("bad_request", "could not read the push: not git's protocol", { cause });
  }
}

function tooMany(): TeamMemoryError {
  const max = LIMITS.gitCommandsPerPushMax;
  return new TeamMemoryError("too_large", `could not take a push of more than ${max} references`);
}

function toPushHead(lines: readonly string[]): PushHead {
  const [first = "", capabilities = ""] = (lines[0] ?? "").split("\0");
  const commands = [first, ...lines.slice(1)].filter((line) => line !== "" && !line.startsWith("shallow "));
  return { commands: commands.map(parseCommand), capabilities: new Set(capabilities.trim().split(" ")) };
}

/** Signed pushes begin with `push-cert`; they are not offered, so that line is no command. */
function parseCommand(line: string): PushCommand {
  const match = /^(?<old>[0-9a-f]{40}) (?<new>[0-9a-f]{40}) (?<ref>[^\0\n]{1,255})\n?$/u.exec(line);
  if (match?.groups === undefined) throw new TeamMemoryError("bad_request", "could not read the push: not a command");
  const { old = ZEROS, new: id = ZEROS, ref = "" } = match.groups;
  return { ref, old: old === ZEROS ? null : old, new: id === ZEROS ? null : id };
}

/** The answer that makes `git push` show `! [remote rejected] <ref> (<reason>)` for each reference. */
export function toRefusal(head: PushHead, reason: string): Buffer {
  const words = reason.replace(/\p{Cc}+/gu, " ");
  const report = Buffer.concat([
    toPktLine("unpack ok\n"),
    ...head.commands.map(({ ref }) => toPktLine(`ng ${ref} ${words}\n`)),
    FLUSH,
  ]);
  const wanted = head.capabilities.has("report-status") || head.capabilities.has("report-status-v2");
  if (!head.capabilities.has("side-band-64k")) return wanted ? report : FLUSH;
  const band = (channel: number, payload: Buffer | string) =>
    toPktLine(Buffer.concat([Buffer.from([channel]), Buffer.from(payload)]));
  return Buffer.concat([wanted ? band(1, report) : band(2, `${words}\n`), FLUSH]);
}
