import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { openProposalsApi } from "../simulation/proposals-api.ts";
import { git } from "../support/git.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { memoryText } from "../support/memory-text.ts";
import { startService, UNLIMITED } from "../support/service.ts";
import { type OnEnd, scratchFolder } from "../support/teardown.ts";
import { type Contender, compare, timed } from "./measure.ts";
import { type Row, toRow } from "./row.ts";

const PAIRS = 15;

/** One proposal, from the first byte of its PUT to the answer with its branch in the repository, against `git push`. */
export async function benchProposals(onEnd: OnEnd): Promise<Row[]> {
  const host = await startGitHost(onEnd);
  const shared = await proposer(onEnd, ["--remote", host.url]);
  const embedded = await proposer(onEnd, []);
  const push = await pusher(host, onEnd);
  const names = { against: "git push of one commit", unit: "ms" } as const;
  const rows = [
    toRow({
      ...names,
      ...(await compare(shared, push, PAIRS)),
      work: "a proposal on an http remote",
      budget: { atMost: 1 },
    }),
    toRow({
      ...names,
      ...(await compare(embedded, push, PAIRS)),
      work: "a proposal in the data folder",
      budget: { atMost: 0.5 },
    }),
  ];
  await assertThere(host);
  return rows;
}

async function proposer(onEnd: OnEnd, args: readonly string[]): Promise<Contender> {
  const data = join(await scratchFolder(onEnd), "data");
  const service = await startService({ data, onEnd, args: [...UNLIMITED, ...args] });
  const token = (await readFile(join(data, "admin-token"), "utf8")).trim();
  const api = openProposalsApi(service.url, token, "github.com~acme~shop");
  return () => {
    const id = ulid();
    const change = { key: `project_${id.toLowerCase()}.md`, baseBlob: null, text: memoryText(id) };
    return timed(() => api.put(id, [change]));
  };
}

/** Each commit is made before its time begins, and goes to a branch of its own, as a proposal does. */
async function pusher({ url }: GitHost, onEnd: OnEnd): Promise<Contender> {
  const folder = join(await scratchFolder(onEnd), "clone");
  await git("/", ["clone", "-q", url, folder]);
  return async () => {
    await git(folder, ["commit", "-q", "--allow-empty", "-m", "One more"]);
    return timed(() => git(folder, ["push", "-q", "origin", `HEAD:refs/heads/pushed/${ulid()}`]));
  };
}

/** An answer that comes fast without its branch is not a fast one. */
async function assertThere({ gitDir }: GitHost): Promise<void> {
  const branches = await git(gitDir, ["for-each-ref", "--format=%(refname)", "refs/heads/team-memory/"]);
  const count = branches.split("\n").length;
  if (count !== PAIRS + 1) throw new Error(`${count} branches of ${PAIRS + 1} proposals are on the remote`);
}
