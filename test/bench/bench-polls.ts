import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import type { OnEnd } from "../support/teardown.ts";
import { makeField, PROJECT } from "./field.ts";
import { compare } from "./measure.ts";
import { countPolls, type Polling } from "./poll-load.ts";
import { type Row, toRow } from "./row.ts";

const MEMORIES = 1_000;
const PAIRS = 7;

/** An unchanged poll on one core of the service against the least that its framework can do. */
export async function benchPolls(onEnd: OnEnd): Promise<Row[]> {
  const { service, token } = await makeField(MEMORIES, onEnd);
  const ours = await toUnchangedPoll(service.url, token);
  const bare = await startBareRoute(onEnd);
  const pid = Number(/"pid":(\d+)/.exec(service.output())?.[1]);
  const compared = await compare(
    () => ratePerCore(ours, pid),
    () => ratePerCore({ ...ours, url: bare.url }, bare.pid),
    PAIRS,
  );
  const names = { work: "unchanged polls, one core", against: "bare Fastify route answering 304" };
  return [toRow({ ...names, ...compared, unit: "requests/s", budget: { atLeast: 0.8 } })];
}

/** Answers a second of the server's own processor time: what the load and others take from the machine does not count. */
async function ratePerCore(polling: Polling, pid: number): Promise<number> {
  const before = readProcessorSeconds(pid);
  const answers = await countPolls(polling);
  return answers / (readProcessorSeconds(pid) - before);
}

/** In user and in system mode, by Linux's own count, a hundred ticks a second. */
function readProcessorSeconds(pid: number): number {
  const [, facts = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = facts.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
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

async function startBareRoute(onEnd: OnEnd): Promise<{ readonly url: string; readonly pid: number }> {
  const script = fileURLToPath(new URL("bare-route.mjs", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  onEnd(async () => {
    child.kill("SIGKILL");
  });
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return { url: `http://127.0.0.1:${port.toString().trim()}`, pid: child.pid ?? 0 };
}
