import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memoryText } from "../support/memory-text.ts";
import { pushMemories, toGitUrl } from "../support/people.ts";
import { mustRun } from "../support/run.ts";
import type { OnEnd } from "../support/teardown.ts";
import { type Field, makeField, mustClient, PROJECT } from "./field.ts";
import { compare, timed } from "./measure.ts";
import { type Row, toRow } from "./row.ts";

const PAIRS = 11;

export async function benchPulls(onEnd: OnEnd): Promise<Row[]> {
  return [await firstPull(await makeField(1_000, onEnd)), await oneChange(await makeField(10_000, onEnd))];
}

/** A developer's first pull of a thousand memories against a shallow clone of the same repository, files written. */
async function firstPull({ service, home, token }: Field): Promise<Row> {
  const target = join(home.folder, "memory");
  const url = toGitUrl(service.url, token);
  const pull = async () => {
    await forget(home);
    return timed(() => mustClient(home, "pull"));
  };
  const clone = async () => {
    await rm(target, { recursive: true, force: true });
    return timed(() =>
      mustRun("git", ["clone", "-q", "--depth", "1", url, target], { cwd: home.folder, env: home.env }),
    );
  };
  const names = { work: "pull of 1,000 new memories", against: "git clone --depth 1 of the same" };
  return toRow({ ...names, ...(await compare(pull, clone, PAIRS)), unit: "ms", budget: { atMost: 1 } });
}

/** As if this machine had joined but never pulled. */
async function forget(home: Field["home"]): Promise<void> {
  await rm(join(home.folder, ".local/state/team-memory"), { recursive: true, force: true });
  await rm(dirname(home.teamDir), { recursive: true, force: true });
}

async function oneChange(field: Field): Promise<Row> {
  let version = 0;
  // The pull after one that wrote looks at more than the one after that: both halves of a pair start from the same.
  const settle = () => mustClient(field.home, "pull");
  const changed = async () => {
    await settle();
    version += 1;
    const text = memoryText("topic-00042", `Version ${version} of what we know.`);
    await pushMemories(field.review, PROJECT, { "project_topic-00042.md": text });
    await untilServed(field, `Version ${version} `);
    return timed(() => mustClient(field.home, "pull"));
  };
  const unchanged = async () => {
    await settle();
    return timed(() => mustClient(field.home, "pull"));
  };
  const names = { work: "pull of 1 change among 10,000", against: "pull with nothing new" };
  return toRow({ ...names, ...(await compare(changed, unchanged, PAIRS)), unit: "ms", budget: { atMost: 1.2 } });
}

/** A push is noticed at once, but the measured pull must not be the one that waits for it. */
async function untilServed({ service, token }: Field, text: string): Promise<void> {
  const path = `/v1/projects/${PROJECT.replaceAll("/", "~")}/memories/project_topic-00042.md`;
  for (let tries = 0; tries < 500; tries += 1) {
    const answer = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if ((await answer.text()).includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the service never served: ${text}`);
}
