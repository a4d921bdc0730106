import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitPort } from "../../../server/git/port.ts";
import type { Engine } from "../../../server/sync/engine.ts";
import type { ReviewPolicy } from "../../../server/sync/review-policy.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { openMemoryGit } from "../../contract/memory-git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { ANA, merge, openEngine, RITA, SHOP, textsOf, toRequest } from "./support.ts";

const ID = "01JH0000000000000000000000";
const A = memoryText("A");
const B = memoryText("B");
const first = toRequest({ "a.md": A, "b.md": B });
const mixed = toRequest({ "a.md": null, "b.md": B }, { bases: { "a.md": blobIdOf(A) } });
const second = toRequest({ "a.md": memoryText("A", "Second."), "b.md": B }, { seq: 2 });

interface Killable {
  readonly port: GitPort;
  /** From now on: the process does not survive call number `call`, before or after that took effect. */
  arm(call: number, takesEffect: boolean): void;
  isDead(): boolean;
}

function killable(git: GitPort): Killable {
  let callsLeft = Number.POSITIVE_INFINITY;
  let isLastDone = false;
  const through =
    (call: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      callsLeft -= 1;
      if (callsLeft < 0 || (callsLeft === 0 && !isLastDone)) throw new Error("killed");
      const result = await call(...args);
      if (callsLeft <= 0) throw new Error("killed");
      return result;
    };
  const port = Object.fromEntries(Object.entries(git).map(([verb, call]) => [verb, through(call)]));
  return {
    port: port as unknown as GitPort,
    arm: (call, takesEffect) => {
      callsLeft = call;
      isLastDone = takesEffect;
    },
    isDead: () => callsLeft <= 0,
  };
}

interface Write {
  readonly name: string;
  readonly policy?: ReviewPolicy;
  /** A third state in which a kill may leave it, made of the one that it comes to. */
  readonly between?: (done: Observed) => Observed;
  /** What was there before. */
  readonly before: (engine: Engine) => Promise<unknown>;
  readonly write: (engine: Engine) => Promise<unknown>;
}

const put = (engine: Engine) => engine.putProposal(SHOP, ID, first, ANA);
const old = (engine: Engine) => merge(engine, { "old.md": memoryText("Old") });
const WRITES: readonly Write[] = [
  { name: "a first proposal", before: old, write: put },
  { name: "a second set", before: put, write: (engine) => engine.putProposal(SHOP, ID, second, ANA) },
  { name: "a set that needs no review", policy: "direct", before: old, write: put },
  {
    name: "a set of which a part needs review",
    policy: "direct",
    before: (engine) => merge(engine, { "a.md": A }),
    write: (engine) => engine.putProposal(SHOP, ID, mixed, ANA),
    // What needs none is there; the set, sent again, proposes the rest.
    between: ({ texts }) => ({ texts, outcome: undefined, changes: undefined }),
  },
  {
    name: "a withdrawal",
    before: put,
    write: (engine) => engine.putProposal(SHOP, ID, toRequest({}, { seq: 2 }), ANA),
  },
  { name: "an approval", before: put, write: (engine) => engine.approve(SHOP, ID, {}, RITA) },
  {
    name: "an approval of one key",
    before: put,
    write: (engine) => engine.approve(SHOP, ID, { keys: ["a.md"] }, RITA),
  },
  { name: "a closing", before: put, write: (engine) => engine.close(SHOP, ID, { reason: "No" }, RITA) },
  {
    name: "a closing of one key",
    before: put,
    write: (engine) => engine.close(SHOP, ID, { keys: ["a.md"], reason: "No" }, RITA),
  },
];

interface Observed {
  readonly texts: unknown;
  readonly outcome: unknown;
  readonly changes: unknown;
}

async function observe(engine: Engine): Promise<Observed> {
  await engine.refresh();
  const { outcomes } = await engine.memories(SHOP, { proposals: [ID] });
  const proposal = await engine.proposal(SHOP, ID).catch(() => null);
  const changes = proposal?.changes.map(({ key, blob, state }) => [key, blob, state]);
  return { texts: await textsOf(engine), outcome: outcomes[ID], changes };
}

interface Killed {
  readonly before: Observed;
  readonly after: Observed;
  readonly again: Observed;
  readonly wasKilled: boolean;
}

/** The state before, what the next process finds, and what it comes to when the write is sent again. */
async function runKilled(
  { before, write, policy = "required" }: Write,
  call: number,
  takesEffect: boolean,
): Promise<Killed> {
  const git = await openMemoryGit();
  const remote = { folder: "", gitDir: "", port: git };
  const cacheFolder = join(await tempDir(), "cache");
  const reviewPolicy = () => policy;
  const { port, arm, isDead } = killable(git);
  const doomed = await openEngine({ ...remote, port }, { cacheFolder, reviewPolicy });
  await before(doomed);
  const start = await observe(doomed);
  arm(call, takesEffect);
  await write(doomed).catch(() => undefined);
  const wasKilled = isDead();
  const next = await openEngine(remote, { cacheFolder, reviewPolicy });
  const after = await observe(next);
  await write(next);
  const again = await observe(next);
  expect(await observe(await openEngine(remote, { reviewPolicy }))).toEqual(again);
  return { before: start, after, again, wasKilled };
}

describe("a service killed at any call of", () => {
  it.each(WRITES)(
    "$name has done it or not, and doing it again comes to the same",
    async (write) => {
      const { again: done } = await runKilled(write, Number.POSITIVE_INFINITY, true);
      let call = 1;
      for (let wasKilled = true; wasKilled; call += 1) {
        for (const takesEffect of [false, true]) {
          const killed = await runKilled(write, call, takesEffect);
          const between = write.between === undefined ? [] : [write.between(done)];
          expect([killed.before, done, ...between]).toContainEqual(killed.after);
          expect(killed.again).toEqual(done);
          wasKilled = killed.wasKilled;
        }
      }
      expect(call).toBeGreaterThan(4);
    },
    60_000,
  );
});
