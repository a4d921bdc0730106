import { join } from "node:path";
import { CLIENT_BUNDLE, hookInput, makeHome } from "../support/home.ts";
import { toGitUrl } from "../support/people.ts";
import { mustRun } from "../support/run.ts";
import { invite } from "../support/service.ts";
import type { OnEnd } from "../support/teardown.ts";
import { startDelayProxy } from "./delay-proxy.ts";
import { type Field, joinFrom, makeField, runNode } from "./field.ts";
import { interleave, timed } from "./measure.ts";
import { type Row, toRow } from "./row.ts";

const MEMORIES = 200;
const ROUNDS = 25;
const ROUNDS_FAR = 15;
const ROUND_TRIP_MS = 40;

/** The session-start hook with nothing new: what every session of every day pays. */
export async function benchHook(onEnd: OnEnd): Promise<Row[]> {
  const field = await makeField(MEMORIES, onEnd);
  return [...(await near(field)), await far(field, onEnd)];
}

async function near({ service, home, token }: Field): Promise<Row[]> {
  const pull = await gitPuller(home.folder, toGitUrl(service.url, token), home.env);
  const hook = () => timed(() => runHook(home));
  const bareNode = () => timed(() => runNode(home, ["-e", "0"]));
  const [ours, node, git] = (await interleave([hook, bareNode, () => timed(pull)], ROUNDS)) as [number, number, number];
  const shared = { work: "session-start hook, nothing new, loopback", unit: "ms", ours } as const;
  return [
    toRow({ ...shared, against: "node -e 0", theirs: node, budget: { atMost: 1.4 } }),
    toRow({ ...shared, against: "git pull with credentials", theirs: git, budget: { atMost: 1 } }),
  ];
}

/** The same with a network's distance: both sides through proxies of the same delay. */
async function far({ service, token }: Field, onEnd: OnEnd): Promise<Row> {
  const distant = await startDelayProxy(service.url, ROUND_TRIP_MS, onEnd);
  const home = await makeHome({ onEnd, person: { name: "Fay Far", email: "fay@example.org" } });
  await joinFrom(home, (await invite(service, "contributor")).replace(service.url, distant));
  const pull = await gitPuller(home.folder, toGitUrl(distant, token), home.env);
  const contenders = [() => timed(() => runHook(home)), () => timed(pull)];
  const [ours, theirs] = (await interleave(contenders, ROUNDS_FAR)) as [number, number];
  const work = `session-start hook, nothing new, ${ROUND_TRIP_MS} ms away`;
  return toRow({ work, against: "git pull with credentials", unit: "ms", ours, theirs, budget: { atMost: 1 } });
}

/** Insists that the index came: an error that returns fast is not a fast hook. */
async function runHook(home: Field["home"]): Promise<void> {
  const { stdout } = await runNode(home, [CLIENT_BUNDLE, "hook", "session-start"], hookInput(home.clone));
  if (!stdout.includes("topic-00001")) throw new Error(`the hook printed no index: ${stdout.slice(0, 500)}`);
}

async function gitPuller(folder: string, url: string, env: Readonly<Record<string, string>>) {
  const clone = join(folder, "memory");
  await mustRun("git", ["clone", "-q", url, clone], { cwd: folder, env });
  return () => mustRun("git", ["pull", "-q"], { cwd: clone, env });
}
