/** A remote on disk, engines over it, persons, and a plain clone that writes to it as any reviewer would. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ulid } from "ulid";
import { onTestFinished } from "vitest";
import { openEmbeddedRepository } from "../../../server/git/open-embedded.ts";
import type { GitPort } from "../../../server/git/port.ts";
import { openStateFiles } from "../../../server/state/state-files.ts";
import { buildEngine, type Engine } from "../../../server/sync/engine.ts";
import type { EngineLog } from "../../../server/sync/engine-log.ts";
import type { EngineOptions } from "../../../server/sync/open-engine-context.ts";
import type { Person } from "../../../server/sync/person.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import type { ProposalRequest } from "../../../shared/protocol/schemas.ts";
import { git, gitEnvironment } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";

export const SHOP = parseProjectName("github.com/acme/shop");
export const SHOP_FOLDER = "projects/github.com/acme/shop/team";
export const OTHER = parseProjectName("github.com/acme/other");
export const ANA = person("ana", "Ana Author");
export const BEN = person("ben", "Ben Builder");
export const RITA = person("rita", "Rita Reviewer");
export const COMMITTER = { name: "team-memory", email: "team-memory@localhost" };
export const SECRET = "a secret of thirty-two characters, at least";
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export function person(id: string, name: string): Person {
  return { id, name, email: `${id}@example.org` };
}

export interface Remote {
  readonly folder: string;
  readonly gitDir: string;
  readonly port: GitPort;
}

export async function openRemote(): Promise<Remote> {
  const folder = await tempDir();
  const port = await openEmbeddedRepository({ folder, git: null, baseRef: "refs/heads/main" });
  return { folder, gitDir: port.gitDir, port };
}

/** A port of its own on the same repository, as another process has it. */
export async function openAgain({ folder }: Remote): Promise<Remote> {
  const port = await openEmbeddedRepository({ folder, git: null, baseRef: "refs/heads/main" });
  return { folder, gitDir: port.gitDir, port };
}

export interface TestLog extends EngineLog {
  readonly lines: readonly string[];
}

function testLog(): TestLog {
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    const err = "err" in fields && fields.err instanceof Error ? ` ${fields.err.stack}` : "";
    lines.push(`${message} ${JSON.stringify(fields)}${err}`);
  };
  return { lines, info: write, warn: write, error: write };
}

/** Stopped when the test ends. `cacheFolder` given: an engine that was here before, started again. */
export async function openEngine(remote: Remote, options: Partial<EngineOptions> = {}): Promise<Engine> {
  const clock = options.clock ?? (() => new Date());
  const engine = await buildEngine({
    git: remote.port,
    state: openStateFiles(options.git ?? remote.port, clock),
    clock,
    log: testLog(),
    cacheFolder: options.cacheFolder ?? join(await tempDir(), "cache"),
    publicUrl: "http://127.0.0.1:7357",
    committer: COMMITTER,
    secret: SECRET,
    ...options,
  });
  onTestFinished(() => engine.stop());
  return engine;
}

export async function openAll() {
  const remote = await openRemote();
  return { remote, engine: await openEngine(remote) };
}

/** New memories by key, with what they replace where they replace something. */
export function toRequest(
  texts: Readonly<Record<string, string | null>>,
  { seq = 1, bases = {}, ...rest }: Partial<ProposalRequest> & { bases?: Readonly<Record<string, string>> } = {},
): ProposalRequest {
  const changes = Object.entries(texts).map(([key, text]) => ({ key, baseBlob: bases[key] ?? null, text }));
  return { seq, changes, ...rest };
}

export interface ClonedRemote {
  readonly folder: string;
  git(...args: readonly string[]): Promise<string>;
  /** Files below the project's folder, committed; null removes. */
  commit(files: Readonly<Record<string, string | null>>, message?: string): Promise<void>;
  push(...refs: readonly string[]): Promise<void>;
  /** The base as the remote has it now. */
  update(): Promise<void>;
}

/** A plain clone of a reviewer. */
export async function cloneRemote(remote: Remote, who: Person = RITA, project = SHOP): Promise<ClonedRemote> {
  const home = await tempDir();
  const env = gitEnvironment(home, who);
  const folder = join(home, "clone");
  await git(home, ["clone", "-q", remote.gitDir, folder], env);
  const run = (...args: readonly string[]) => git(folder, args, env);
  return {
    folder,
    git: run,
    commit: async (files, message = "Edit memories") => {
      for (const [key, text] of Object.entries(files))
        await place(join(folder, "projects", project, "team", key), text);
      await run("add", "-A");
      await run("commit", "-q", "-m", message);
    },
    push: async (...refs) => {
      await run("push", "-q", "origin", ...(refs.length > 0 ? refs : ["HEAD:main"]));
    },
    update: async () => {
      await run("fetch", "-q", "--prune", "origin");
      await run("checkout", "-q", "main");
      await run("reset", "-q", "--hard", "origin/main");
    },
  };
}

async function place(path: string, text: string | null): Promise<void> {
  if (text === null) return rm(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Merges memories through the engine, as proposed by Ana and approved by Rita. */
export async function merge(engine: Engine, texts: Readonly<Record<string, string | null>>, project = SHOP) {
  const id = ulid();
  const { upserts } = (await engine.memories(project, { proposals: [] })).body;
  const bases = Object.fromEntries(upserts.map(({ key, blob }) => [key, blob]));
  await engine.putProposal(project, id, toRequest(texts, { bases }), ANA);
  return engine.approve(project, id, {}, RITA);
}

export async function textsOf(engine: Engine, project = SHOP): Promise<Record<string, string>> {
  const { body } = await engine.memories(project, { proposals: [] });
  return Object.fromEntries(body.upserts.map(({ key, text }) => [key, text]));
}
