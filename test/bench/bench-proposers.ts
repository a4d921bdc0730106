import { join } from "node:path";
import { ulid } from "ulid";
import { findGitBinary } from "../../server/git/git-binary.ts";
import { openRemoteRepository, type RemoteRepository } from "../../server/git/remote/open-remote.ts";
import { openStateFiles } from "../../server/state/state-files.ts";
import { buildEngine } from "../../server/sync/engine.ts";
import type { EngineOptions } from "../../server/sync/open-engine-context.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import { startGitHost } from "../support/git-host.ts";
import { memoryText } from "../support/memory-text.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";
import { type Row, toRow } from "./row.ts";

const PEOPLE = 200;
const SHOP = parseProjectName("github.com/acme/shop");

type Engine = Awaited<ReturnType<typeof buildEngine>>;

/** 200 people proposing at once to a remote over HTTP, against the same with a push for each. */
export async function benchProposers(onEnd: OnEnd): Promise<Row[]> {
  const together = await startEngine(onEnd, (mirror) => mirror);
  const alone = await startEngine(onEnd, ({ publishEach: _, ...mirror }) => mirror);
  // Once each: a push for each of them takes long, and the ratio is far from its budget.
  const [rate, aloneRate] = [await measureRate(together), await measureRate(alone)];
  const names = { work: "200 people proposing at once", against: "one push each" };
  return [toRow({ ...names, unit: "requests/s", ours: rate, theirs: aloneRate, budget: { atLeast: 5 } })];
}

async function startEngine(onEnd: OnEnd, toPort: (mirror: RemoteRepository) => EngineOptions["git"]): Promise<Engine> {
  const { url } = await startGitHost(onEnd);
  const remote = { url: { kind: "http", url } as const, token: { kind: "none" } as const, baseRef: "refs/heads/main" };
  const folder = await scratchFolder(onEnd);
  const mirror = await openRemoteRepository({
    folder: join(folder, "mirror"),
    git: await findGitBinary(undefined),
    baseRef: remote.baseRef,
    remote,
  });
  const git = toPort(mirror);
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const clock = () => new Date();
  const engine = await buildEngine({
    ...{ git, clock, log: quiet },
    state: openStateFiles(git, clock),
    cacheFolder: join(folder, "cache"),
    publicUrl: "http://127.0.0.1",
    committer: { name: "team-memory", email: "team-memory@localhost" },
    secret: "of a bench ".repeat(4),
  });
  onEnd(() => engine.stop());
  return engine;
}

/** Proposals a second. */
async function measureRate(engine: Engine): Promise<number> {
  const people = Array.from({ length: PEOPLE }, (_, at) => ({
    id: ulid(),
    who: { id: `p${at}`, name: `Person ${at}`, email: `p${at}@example.org` },
    changes: [{ key: `feedback_${at}.md`, baseBlob: null, text: memoryText(`K${at}`) }],
  }));
  const startedAt = performance.now();
  const results = await Promise.all(
    people.map(({ id, who, changes }) => engine.putProposal(SHOP, id, { seq: 1, changes }, who)),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  if (!results.every(({ created }) => created)) throw new Error("not every proposal has landed");
  return PEOPLE / seconds;
}
