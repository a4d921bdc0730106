import { createHash } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { readBytesIfThere } from "../private-file.ts";
import { isUnchanged, sendUnchanged } from "./conditional.ts";

interface Archive {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The client that fits this service, at an address that does not change: `npx -y <url>/client.tgz` runs it. */
export const clientArchive: FastifyPluginAsync<{ path: string }> = async (app, { path }) => {
  let kept: Archive | null = null;
  app.get("/client.tgz", { config: { access: "public" } }, async (request, reply) => {
    kept ??= await readArchive(path);
    reply.header("cache-control", "no-cache");
    if (isUnchanged(request, kept.etag)) return sendUnchanged(reply, kept.etag);
    return reply.header("etag", kept.etag).type("application/gzip").send(kept.bytes);
  });
};

async function readArchive(path: string): Promise<Archive> {
  const bytes = await readBytesIfThere(path);
  if (bytes === null)
    throw new TeamMemoryError("not_found", "Could not find the client: this service was built without it");
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("hex")}"` };
}
