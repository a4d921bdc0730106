/** A push over HTTP: one request with every reference's expected and new id, and a pack of what the remote lacks. */
import { LIMITS } from "../../../shared/limits.ts";
import { FLUSH, toPktLine } from "../pkt-line.ts";
import type { RefUpdate } from "../port.ts";
import type { HttpClient } from "./http-client.ts";
import { type Packet, readPackets, textOf } from "./packets.ts";
import type { PushReport } from "./transport.ts";
import { unreachable } from "./unreachable.ts";

/** For a reference that is not there, or is to be gone. */
export const NO_ID = "0".repeat(40);

/** What the remote's receiving side offers. */
export async function readPushCapabilities(http: HttpClient): Promise<ReadonlySet<string>> {
  const request = { path: "/info/refs?service=git-receive-pack", accept: "*/*", body: null };
  let offered: string | null = null;
  for await (const packet of readPackets(http(request, LIMITS.remoteListSizeBytesMax))) {
    const [, capabilities] = (textOf(packet) ?? "").split("\0");
    offered ??= capabilities ?? null;
  }
  if (offered === null) throw unreachable("it does not speak git's protocol");
  return new Set(offered.trim().split(" "));
}

interface Push {
  readonly http: HttpClient;
  readonly updates: readonly RefUpdate[];
  readonly isAtomic: boolean;
  readonly offered: ReadonlySet<string>;
  readonly pack: Buffer;
}

/** Throws `remote_unreachable` where the answer does not arrive whole: the push may have been taken. */
export async function pushPack({ http, updates, isAtomic, offered, pack }: Push): Promise<PushReport> {
  const wished = ["report-status", "side-band-64k", ...(isAtomic && updates.length > 1 ? ["atomic"] : [])];
  const used = wished.filter((name) => offered.has(name));
  const deletesOnly = updates.every((update) => update.new === null);
  const bytes = Buffer.concat([...toCommands(updates, used), FLUSH, ...(deletesOnly ? [] : [pack])]);
  const request = {
    path: "/git-receive-pack",
    accept: "application/x-git-receive-pack-result",
    body: { type: "application/x-git-receive-pack-request", bytes },
  };
  const packets = readPackets(http(request, LIMITS.remoteReportSizeBytesMax));
  return used.includes("side-band-64k") ? readBanded(packets) : readReport(packets, "");
}

function toCommands(updates: readonly RefUpdate[], capabilities: readonly string[]): readonly Buffer[] {
  return updates.map(({ ref, expectedOld, new: id }, index) => {
    const line = `${expectedOld ?? NO_ID} ${id ?? NO_ID} ${ref}`;
    return toPktLine(index === 0 ? `${line}\0 ${capabilities.join(" ")}` : line);
  });
}

/** The first band carries the report, a packet stream of its own; the others what hooks and git say. */
async function readBanded(packets: AsyncIterable<Packet>): Promise<PushReport> {
  const report: Buffer[] = [];
  const said: Buffer[] = [];
  for await (const packet of packets) {
    if (packet.kind === "data") (packet.payload[0] === 1 ? report : said).push(packet.payload.subarray(1));
  }
  return readReport(readPackets(toChunks(report)), Buffer.concat(said).toString("utf8"));
}

async function* toChunks(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

async function readReport(packets: AsyncIterable<Packet>, said: string): Promise<PushReport> {
  const refusals = new Map<string, string>();
  let unpacked: string | null = null;
  let isWhole = false;
  for await (const packet of packets) {
    if (packet.kind === "flush") isWhole = true;
    const text = textOf(packet) ?? "";
    if (text.startsWith("unpack ")) unpacked = text.slice("unpack ".length);
    const { ref, why } = /^ng (?<ref>\S+) (?<why>.*)$/u.exec(text)?.groups ?? {};
    if (ref !== undefined) refusals.set(ref, why ?? "");
  }
  if (!isWhole || unpacked === null) throw unreachable("its answer to a push was cut off");
  return { refusals, said: unpacked === "ok" ? said : `${said}\n${unpacked}` };
}
