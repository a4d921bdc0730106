/**
 * What is read of a remote over HTTP, in git's protocol version 2: the list of references below our prefixes, and a pack of
 * what is new. Every server since 2018 speaks it; one that does not is told so.
 */
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { FLUSH, toPktLine } from "../pkt-line.ts";
import type { GitId } from "../port.ts";
import type { HttpClient, RemoteRequest } from "./http-client.ts";
import { DELIMITER, readPackets, textOf } from "./packets.ts";
import { toRemoteWords } from "./remote-words.ts";
import { type FetchRequest, LISTED_PREFIXES, type RemoteRefs } from "./transport.ts";
import { unreachable } from "./unreachable.ts";

/** Throws `remote_denied` where the remote has no protocol version 2. */
export async function assertVersion2(http: HttpClient): Promise<void> {
  const request = { path: "/info/refs?service=git-upload-pack", accept: "*/*", body: null };
  let isVersion2 = false;
  for await (const packet of readPackets(http(request, LIMITS.remoteListSizeBytesMax))) {
    if (textOf(packet) === "version 2") isVersion2 = true;
  }
  if (isVersion2) return;
  throw new TeamMemoryError("remote_denied", "could not use the remote: it speaks no git protocol version 2");
}

export async function listRefs(http: HttpClient): Promise<RemoteRefs> {
  const request = toCommand(
    "ls-refs",
    LISTED_PREFIXES.map((prefix) => `ref-prefix ${prefix}`),
  );
  const refs = new Map<string, GitId>();
  let isWhole = false;
  for await (const packet of readPackets(http(request, LIMITS.remoteListSizeBytesMax))) {
    if (packet.kind === "flush") isWhole = true;
    const { id, ref } = /^(?<id>[0-9a-f]{40}) (?<ref>\S+)/u.exec(textOf(packet) ?? "")?.groups ?? {};
    if (id !== undefined && ref !== undefined) refs.set(ref, id);
  }
  // Half a list would look like deleted branches.
  if (!isWhole) throw unreachable("its list of references was cut off");
  return refs;
}

/** The bytes of a pack with all that `wants` lead to and `haves` do not. */
export async function* fetchPack(http: HttpClient, { wants, haves }: FetchRequest): AsyncGenerator<Buffer> {
  const request = toCommand("fetch", [
    "ofs-delta",
    "no-progress",
    ...[...new Set(wants.values())].map((id) => `want ${id}`),
    ...haves.map((id) => `have ${id}`),
    "done",
  ]);
  let section = "";
  let isWhole = false;
  for await (const packet of readPackets(http(request, LIMITS.remotePackSizeBytesMax))) {
    if (packet.kind === "flush") isWhole = true;
    if (packet.kind !== "data") continue;
    if (section === "packfile") {
      const part = toPackPart(packet.payload);
      if (part !== null) yield part;
    } else section = assertComplete(textOf(packet) ?? "");
  }
  if (!isWhole || section !== "packfile") throw unreachable("its pack was cut off");
}

/** The first byte says which band: the pack, progress, or an error that ends it. */
function toPackPart(payload: Buffer): Buffer | null {
  const band = payload[0];
  if (band === 1) return payload.subarray(1);
  if (band !== 3) return null;
  const words = toRemoteWords(payload.toString("utf8", 1));
  throw new TeamMemoryError("remote_refused", `could not fetch: the remote says: ${words}`, { details: { words } });
}

/** A remote that was cloned with a depth lacks what its commits lead to; so would whoever pulls from here. */
function assertComplete(section: string): string {
  if (section !== "shallow-info") return section;
  throw new TeamMemoryError("remote_denied", "could not use the remote: it is a shallow clone, its history is cut off");
}

function toCommand(command: string, args: readonly string[]): RemoteRequest {
  const lines = args.map((arg) => toPktLine(`${arg}\n`));
  const bytes = Buffer.concat([toPktLine(`command=${command}\n`), DELIMITER, ...lines, FLUSH]);
  return {
    path: "/git-upload-pack",
    accept: "application/x-git-upload-pack-result",
    body: { type: "application/x-git-upload-pack-request", bytes },
  };
}
