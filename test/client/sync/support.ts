/** One developer's memory directory against the stub service, without a process of its own. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SyncContext } from "../../../client/sync/context.ts";
import { pull } from "../../../client/sync/pull/pull.ts";
import type { PullOptions } from "../../../client/sync/pull/pull-options.ts";
import type { PullReport } from "../../../client/sync/pull/report.ts";
import { type PushReport, push } from "../../../client/sync/push/push.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { PROJECT, type StubService, startStubService } from "../stub-service.ts";

export interface Desk {
  readonly context: SyncContext;
  /** The same desk, joined anew. */
  withToken(token: string): Desk;
  pull(options?: Partial<PullOptions>): Promise<PullReport>;
  /** Keys that are named are sent even where they are held. */
  push(...named: readonly string[]): Promise<PushReport>;
  write(key: string, text: string | Uint8Array): Promise<void>;
  read(key: string): Promise<string>;
  /** Keys that lie under team/, sorted; the index is none. */
  keys(): Promise<string[]>;
  /** Every text in the attic. */
  attic(): string[];
}

export async function makeDesk(
  service: Pick<StubService, "url">,
  places: Partial<Pick<SyncContext, "stateFolder">> = {},
): Promise<Desk> {
  const folder = await tempDir();
  return deskAt({
    project: parseProjectName(PROJECT),
    service: { url: service.url, token: "tmt_test", insecure: false },
    teamDir: join(folder, "memory/team"),
    stateFolder: join(folder, "state"),
    ...places,
  });
}

/** A desk that has pulled these memories, and its service. */
export async function deskWith(memories: Record<string, string>): Promise<[Desk, StubService]> {
  const service = await startStubService(memories);
  const desk = await makeDesk(service);
  await desk.pull();
  return [desk, service];
}

/** Every key that was ever in a set, sorted. */
export function sentKeys({ puts }: StubService): string[] {
  return [...new Set(puts.flatMap(({ request }) => request.changes.map(({ key }) => key)))].sort();
}

/** A file that was written in the moment of a pull is looked at once more by the next: until that moment is over. */
export function untilAged(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LIMITS.folderTimeGrainMs + 10));
}

function deskAt(context: SyncContext): Desk {
  const { teamDir } = context;
  return {
    context,
    withToken: (token) => deskAt({ ...context, service: { ...context.service, token } }),
    pull: (options) => pull(context, { askedAtMs: Date.now(), lockWaitMs: 5_000, ...options }),
    push: (...named) =>
      push(context, { askedAtMs: Date.now(), lockWaitMs: 5_000, named: new Set(named.map(sanitizePathKey)) }),
    write: async (key, text) => {
      await mkdir(dirname(join(teamDir, key)), { recursive: true });
      await writeFile(join(teamDir, key), text);
    },
    read: (key) => readFile(join(teamDir, key), "utf8"),
    keys: async () => {
      const entries = await readdir(teamDir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => !entry.isDirectory() && entry.name !== "MEMORY.md");
      return files.map((entry) => join(entry.parentPath, entry.name).slice(teamDir.length + 1)).sort();
    },
    attic: () => readTexts(join(context.stateFolder, "attic")),
  };
}

function readTexts(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  } catch {
    return [];
  }
}
