import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { type PktLine, parsePktLine } from "../pkt-line.ts";
import { toRemoteWords } from "./remote-words.ts";
import { unreachable } from "./unreachable.ts";

/** Protocol version 2 parts its sections with `0001`. */
export type Packet = PktLine | { readonly kind: "delimiter" };

export const DELIMITER = Buffer.from("0001");

/**
 * Packets as they arrive; at most one is held. Throws `remote_unreachable` for what is no git protocol (a captive portal's
 * page) and for an end within a packet, `remote_refused` with the remote's words where it answers with an error.
 */
export async function* readPackets(chunks: AsyncIterable<Buffer>): AsyncGenerator<Packet> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    for (let found = parse(held, at); found !== null; found = parse(held, at)) {
      at = found.next;
      yield found.packet;
    }
    held = held.subarray(at);
  }
  if (held.length > 0) throw unreachable("its answer was cut off");
}

function parse(bytes: Buffer, at: number): { packet: Packet; next: number } | null {
  if (bytes.toString("latin1", at, at + 4) === "0001") return { packet: { kind: "delimiter" }, next: at + 4 };
  try {
    const found = parsePktLine(bytes, at);
    return found === null ? null : { packet: assertNoError(found.line), next: found.next };
  } catch (error) {
    throw error instanceof RangeError ? unreachable("it does not speak git's protocol") : error;
  }
}

function assertNoError(line: PktLine): PktLine {
  if (line.kind === "flush" || line.payload.toString("latin1", 0, 4) !== "ERR ") return line;
  const words = toRemoteWords(line.payload.toString("utf8", 4));
  throw new TeamMemoryError("remote_refused", `could not use the remote: it says: ${words}`, { details: { words } });
}

/** The text of a data packet without its newline; null for the others. */
export function textOf(packet: Packet): string | null {
  return packet.kind === "data" ? packet.payload.toString("utf8").replace(/\n$/u, "") : null;
}
