import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import type { OnEnd } from "../support/teardown.ts";
import { makeField, PROJECT } from "./field.ts";
import { interleave } from "./measure.ts";
import { measurePolls, type Polling } from "./poll-load.ts";
import { type Row, toRow } from "./row.ts";

const MEMORIES = 1_000;
const ROUNDS = 5;

/** An unchanged poll on one core of the service against the least that its framework can do. */
export async function benchPolls(onEnd: OnEnd): Promise<Row[]> {
  const { service, token } = await makeField(MEMORIES, onEnd);
  const ours = await toUnchangedPoll(service.url, token);
  const bare = { ...ours, url: await startBareRoute(onEnd) };
  const contenders = [() => measurePolls(ours), () => measurePolls(bare)];
  const [rate, bareRate] = (await interleave(contenders, ROUNDS)) as [number, number];
  const names = { work: "unchanged polls, one core", against: "bare Fastify route answering 304" };
  return [toRow({ ...names, unit: "requests/s", ours: rate, theirs: bareRate, budget: { atLeast: 0.8 } })];
}

/** The request that a client with everything sends: the tree it has and the ETag it was given. */
async function toUnchangedPoll(url: string, token: string): Promise<Polling> {
  const headers = { authorization: `Bearer ${token}`, [PROTOCOL_HEADER]: PROTOCOL_VERSION };
  const folder = `/v1/projects/${PROJECT.replaceAll("/", "~")}/memories`;
  const first = await fetch(`${url}${folder}`, { headers });
  const { tree, revision } = (await first.json()) as { tree: string; revision: string };
  const path = `${folder}?since=${tree}&revision=${revision}`;
  return { url, path, headers: { ...headers, "if-none-match": first.headers.get("etag") ?? "" } };
}

async function startBareRoute(onEnd: OnEnd): Promise<string> {
  const script = fileURLToPath(new URL("bare-route.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  onEnd(async () => {
    child.kill("SIGKILL");
  });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${port.toString().trim()}`;
}
