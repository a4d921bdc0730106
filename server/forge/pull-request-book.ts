/** The pull requests as the forge told of them last, by proposal: kept by asking only for what has changed since. */
import { LIMITS } from "../../shared/limits.ts";
import { withoutSecrets } from "../../shared/secret/without-secrets.ts";
import { toRemoteWords } from "../git/remote/remote-words.ts";
import { fromProposalRef } from "../sync/proposal/refs.ts";
import type { Forge, PullRequest } from "./forge.ts";
import type { Dated, DeskEngine, Verdict } from "./forge-desk.ts";
import { pickRequest } from "./plan-pull-requests.ts";
import { isOwnComment } from "./pull-request-text.ts";

export interface PullRequestBook {
  /** By proposal id the one that counts. */
  readonly requests: ReadonlyMap<string, PullRequest>;
  /** Asks the forge: one request where nothing has changed, however many there are. Calls at one time share it. */
  look(of: LookEngine): Promise<void>;
  /** What was just done there. */
  take(request: PullRequest): void;
  verdictOf(id: string): Verdict | null;
  /** Drops what has ended both here and there. */
  forget(of: Pick<DeskEngine, "endOf">): void;
}

export interface LookEngine extends Pick<DeskEngine, "endOf"> {
  listOpen(): readonly Dated[];
}

export function openPullRequestBook(forge: Pick<Forge, "listSince" | "comments">): PullRequestBook {
  const requests = new Map<string, PullRequest>();
  const reasons = new Map<number, string | null>();
  let seenSince: Date | null = null;
  let looking: Promise<void> | null = null;

  async function look(of: LookEngine): Promise<void> {
    const since = seenSince ?? beforeAll(of);
    const found = await forge.listSince(since);
    for (const request of found.toReversed()) take(request);
    const newest = Math.max(since.getTime(), ...found.map(({ updatedAt }) => updatedAt.getTime()));
    await readReasons(of);
    // What changes within the same second would be missed.
    seenSince = new Date(newest - LIMITS.forgeListOverlapMs);
  }

  function take(request: PullRequest): void {
    const id = fromProposalRef(`refs/heads/${request.branch}`);
    if (id === null) return;
    const known = requests.get(id);
    requests.set(id, known === undefined || known.number === request.number ? request : pickRequest(known, request));
  }

  /** Of those that were closed while their proposal is open, or was until its branch went. */
  async function readReasons({ endOf }: Pick<DeskEngine, "endOf">): Promise<void> {
    for (const [id, { number, state }] of requests) {
      if (state !== "closed" || reasons.has(number) || endOf(id) !== null) continue;
      const comments = await forge.comments(number);
      const last = comments.findLast(({ text }) => !isOwnComment(text))?.text ?? "";
      const words = toRemoteWords(withoutSecrets(last)).slice(0, LIMITS.reasonLengthMax);
      reasons.set(number, words === "" ? null : words);
    }
  }

  return {
    requests,
    take,
    look: (of) => {
      looking ??= look(of).finally(() => {
        looking = null;
      });
      return looking;
    },
    verdictOf: (id) => {
      const request = requests.get(id);
      if (request === undefined) return null;
      const { state, mergeCommit, number } = request;
      return { state, mergeCommit, reason: reasons.get(number) ?? null };
    },
    forget: ({ endOf }) => {
      for (const [id, { state, number }] of requests) {
        if (state === "open" || endOf(id) === null) continue;
        requests.delete(id);
        reasons.delete(number);
      }
    },
  };
}

/** No pull request is older than its proposal, but for what two clocks differ by. */
function beforeAll({ listOpen }: Pick<LookEngine, "listOpen">): Date {
  const oldest = Math.min(Date.now(), ...listOpen().map(({ createdAt }) => createdAt.getTime()));
  return new Date(oldest - LIMITS.forgeClockSkewMs);
}
