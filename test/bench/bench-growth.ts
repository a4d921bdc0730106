/** What the service costs as a team grows old and large: the same calls on the same project, beside little and beside much. */
import { readFile } from "node:fs/promises";
import { ulid } from "ulid";
import { openProposalsApi } from "../simulation/proposals-api.ts";
import { memoryText } from "../support/memory-text.ts";
import type { OnEnd } from "../support/teardown.ts";
import { type Grown, type Growth, keyAt, projectAt, startGrown } from "./grown.ts";
import { compare, timed } from "./measure.ts";
import { type Row, toRow } from "./row.ts";

const PAIRS = 15;
const READS_PER_ROUND = 20;
const WRITES_PER_ROUND = 3;
const FLAT = { atMost: 1.1 } as const;
const YOUNG: Growth = { commits: 100, projects: 1, memoriesPerProject: 100 };
const CROWD: Growth = { commits: 100, projects: 100, memoriesPerProject: 100 };
const CROWD_MB_MAX = 300;

export async function benchGrowth(onEnd: OnEnd): Promise<Row[]> {
  const young = await startGrown(YOUNG, onEnd);
  const old = await startGrown({ ...YOUNG, commits: 100_000 }, onEnd);
  const rows = await benchBoth(young, old, ["100,000 commits of history", "100 commits"]);
  const wide = await startGrown({ ...YOUNG, projects: 200 }, onEnd);
  return [...rows, ...(await benchBoth(young, wide, ["beside 199 projects", "alone"]))];
}

async function benchBoth(small: Grown, grown: Grown, [large, little]: readonly [string, string]): Promise<Row[]> {
  const reads = await compare(
    () => read(grown),
    () => read(small),
    PAIRS,
  );
  const writes = await compare(
    () => write(grown),
    () => write(small),
    PAIRS,
  );
  const shared = { against: little, unit: "ms", budget: FLAT } as const;
  return [
    toRow({ ...shared, ...reads, work: `reads, ${large}` }),
    toRow({ ...shared, ...writes, work: `proposals and their merges, ${large}` }),
  ];
}

/** Milliseconds for head, a whole pull, an unchanged one and one memory, many times over. */
async function read({ service, token }: Grown): Promise<number> {
  const folder = `${service.url}/v1/projects/${projectAt(0)}`;
  const get = async (path: string) => {
    const answer = await fetch(`${folder}/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as { tree: string };
  };
  const { tree } = await get("head");
  return timed(async () => {
    for (let round = 0; round < READS_PER_ROUND; round += 1) {
      for (const path of ["head", "memories", `memories?since=${tree}`, `memories/${keyAt(0)}`]) await get(path);
    }
  });
}

async function write({ service, token }: Grown): Promise<number> {
  const api = openProposalsApi(service.url, token, projectAt(0));
  return timed(async () => {
    for (let round = 0; round < WRITES_PER_ROUND; round += 1) {
      const id = ulid();
      await api.put(id, [{ key: `project_${id.toLowerCase()}.md`, baseBlob: null, text: memoryText(id) }]);
      await api.approve(id);
    }
  });
}

/** What the process holds once everybody has pulled everything. */
export async function benchMemory(onEnd: OnEnd): Promise<Row[]> {
  const { service } = await startGrown(CROWD, onEnd);
  const names = { work: "memory held, 10,000 memories in 100 projects", against: "what it may be" };
  const ours = await residentMegabytes(service.pid);
  return [toRow({ ...names, unit: "MB", ours, theirs: CROWD_MB_MAX, budget: { atMost: 1 } })];
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
