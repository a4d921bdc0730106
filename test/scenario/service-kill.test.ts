import { ulid } from "ulid";
import { describe, expect, it, onTestFinished } from "vitest";
import { type JoinResponse, proposalDetail } from "../../shared/protocol/schemas.ts";
import { assertSound } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { joinByApi } from "../support/people.ts";
import { randomFrom } from "../support/random.ts";
import { type RunningService, startService, UNLIMITED } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Each takes a start of the service: `KILLS=100` for a long run. */
const KILLS = Number(process.env["KILLS"] ?? 25);
const LIFE_MS_MAX = 350;
const WRITERS = 4;

interface Acknowledged {
  readonly project: string;
  readonly id: string;
  readonly text: string;
  /** The service said that it had merged it. */
  merged: boolean;
}

describe("the service", () => {
  it(`killed ${KILLS} times under load keeps a sound repository and all that it acknowledged`, async () => {
    const seed = Date.now();
    const random = randomFrom(seed);
    const data = await tempDir();
    let service = await startService({ data, onEnd: onTestFinished, args: UNLIMITED });
    const { token } = await joinByApi(service, "admin");
    const load = startLoad(service.url, token, random);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await pause(random() * LIFE_MS_MAX);
      await service.kill();
      await assertSound(service.gitDir);
      service = await restart(service);
    }
    const acknowledged = await load.stop();
    expect(acknowledged.length, `seed ${seed}`).toBeGreaterThan(KILLS);
    expect(await findLost(service, token, acknowledged), `seed ${seed}`).toEqual([]);
    expect(await service.stop()).toBe(0);
    await assertSound(service.gitDir);
  }, 600_000);
});

function restart(service: RunningService): Promise<RunningService> {
  const port = Number(new URL(service.url).port);
  return startService({ data: service.data, onEnd: onTestFinished, args: UNLIMITED, port });
}

/** Writers that propose, and approve every other proposal, until they are stopped; refused connections are retried. */
function startLoad(url: string, token: string, random: () => number) {
  const acknowledged: Acknowledged[] = [];
  let stopped = false;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const project = `example.org~team~project-${writer}`;
    while (!stopped) {
      const proposed = await propose(url, token, project);
      if (proposed === null) await pause(10);
      else acknowledged.push(proposed);
      if (proposed !== null && random() < 0.7) proposed.merged = await approve(url, token, proposed);
    }
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(writers);
    return acknowledged;
  };
  return { stop };
}

async function propose(url: string, token: string, project: string): Promise<Acknowledged | null> {
  const id = ulid();
  const text = memoryText(`Memory ${id}`);
  const body = { seq: 1, changes: [{ key: `project_${id.toLowerCase()}.md`, baseBlob: null, text }] };
  const answer = await call(url, token, { method: "PUT", path: `/v1/projects/${project}/proposals/${id}`, body });
  return answer?.status === 201 ? { project, id, text, merged: false } : null;
}

async function approve(url: string, token: string, { project, id }: Acknowledged): Promise<boolean> {
  const path = `/v1/projects/${project}/proposals/${id}/approve`;
  return (await call(url, token, { method: "POST", path, body: {} }))?.status === 200;
}

/** Acknowledged proposals that the service no longer has as they were acknowledged. */
async function findLost(service: RunningService, token: string, all: readonly Acknowledged[]): Promise<string[]> {
  const lost: string[] = [];
  for (const { project, id, text, merged } of all) {
    const answer = await call(service.url, token, { method: "GET", path: `/v1/projects/${project}/proposals/${id}` });
    const proposal = proposalDetail.safeParse(answer?.json).data;
    const isWhole = proposal?.state === "merged" || proposal?.diff[0]?.after === text;
    if (!isWhole || (merged && proposal?.state !== "merged")) lost.push(`${id} ${answer?.status} ${proposal?.state}`);
  }
  return lost;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Null where the service was away, or went away before it had answered. */
async function call(url: string, token: JoinResponse["token"], { method, path, body }: Call) {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init =
      body === undefined
        ? { method, headers: { authorization: headers.authorization } }
        : { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, init);
    return { status: answer.status, json: (await answer.json()) as unknown };
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
