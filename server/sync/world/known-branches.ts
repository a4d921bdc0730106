/**
 * Which proposal branches stood where when they were last seen. Git forgets a deleted branch: without this, a proposal that
 * was closed by deleting its branch while the service was down would look like one that never was. A cache beside git.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { proposalId } from "../../../shared/protocol/schemas.ts";
import type { GitId } from "../../git/port.ts";
import type { EngineLog } from "../engine-log.ts";

export interface KnownBranches {
  /** Heads by proposal id; empty where there is no file. */
  read(): Promise<ReadonlyMap<string, GitId>>;
  /** Writes only what differs from the last time. */
  write(heads: ReadonlyMap<string, GitId>): Promise<void>;
}

const fileSchema = z.strictObject({
  format: z.literal(1),
  heads: z.record(proposalId, z.string().regex(/^[0-9a-f]{40}$/)),
});

export function openKnownBranches(cacheFolder: string, log: EngineLog): KnownBranches {
  const path = join(cacheFolder, "branches.json");
  let last = "";
  return {
    read: async () => {
      const parsed = fileSchema.safeParse(parseJson(await readFile(path, "utf8").catch(() => "")));
      return new Map(Object.entries(parsed.data?.heads ?? {}));
    },
    write: async (heads) => {
      const text = JSON.stringify({ format: 1, heads: Object.fromEntries(heads) });
      if (text === last) return;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeFile(`${path}.new`, text, { mode: 0o600 });
        await rename(`${path}.new`, path);
        last = text;
      } catch (error) {
        log.warn({ err: error }, "The list of known branches could not be written");
      }
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
