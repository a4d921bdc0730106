/** People who propose two memories at a time, and approve most of it, while the service under them is killed again and again. */
import { setTimeout as sleep } from "node:timers/promises";
import { ulid } from "ulid";
import { blobIdOf } from "../../shared/sync/git-ids.ts";
import { memoryText } from "../support/memory-text.ts";
import { openProposalsApi, type ProposalsApi } from "./proposals-api.ts";

export interface Attempt {
  /** As it stands in an address. */
  readonly project: string;
  readonly id: string;
  /** Blob ids by key: what was to stand there, all of it or nothing. */
  readonly blobs: ReadonlyMap<string, string>;
  /** The service said that it has it. */
  isAcknowledged: boolean;
  /** The service said that it merged it. */
  isMerged: boolean;
}

export interface Load {
  readonly projects: readonly string[];
  /** Ends once every writer has had its last answer; all that they tried. */
  stop(): Promise<readonly Attempt[]>;
}

interface LoadOptions {
  readonly url: string;
  readonly token: string;
  readonly random: (below: number) => number;
}

const WRITERS = 4;
const PAUSE_MS = 10;

export function startLoad({ url, token, random }: LoadOptions): Load {
  const projects = Array.from({ length: WRITERS }, (_, writer) => `example.org~acme~project-${writer}`);
  const attempts: Attempt[] = [];
  let isStopped = false;
  const writers = projects.map(async (project) => {
    const api = openProposalsApi(url, token, project);
    while (!isStopped) {
      const { attempt, texts } = makeAttempt(project);
      attempts.push(attempt);
      // As a client does that has not heard; others give up, and what became of theirs is anybody's guess.
      for (let tries = 1 + random(3); tries > 0 && !attempt.isAcknowledged; tries -= 1) {
        attempt.isAcknowledged = await isDone(() => put(api, attempt, texts));
        if (!attempt.isAcknowledged) await sleep(PAUSE_MS);
      }
      if (random(10) < 8) attempt.isMerged = await isDone(() => api.approve(attempt.id));
    }
  });
  const stop = async () => {
    isStopped = true;
    await Promise.all(writers);
    return attempts;
  };
  return { projects, stop };
}

type Texts = ReadonlyMap<string, string>;

function makeAttempt(project: string): { attempt: Attempt; texts: Texts } {
  const id = ulid();
  const keys = ["one", "two"].map((half) => `project_${id.toLowerCase()}_${half}.md`);
  const texts = new Map(keys.map((key) => [key, memoryText(`Memory ${key}`)]));
  const blobs = new Map([...texts].map(([key, text]) => [key, blobIdOf(text)]));
  return { attempt: { project, id, blobs, isAcknowledged: false, isMerged: false }, texts };
}

function put(api: ProposalsApi, { id }: Attempt, texts: Texts): Promise<void> {
  return api.put(
    id,
    [...texts].map(([key, text]) => ({ key, baseBlob: null, text })),
  );
}

/** False where the service was away, went away before it had answered, or said no. */
async function isDone(call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch {
    return false;
  }
}
