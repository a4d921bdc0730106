/**
 * What the service needs of a forge, and no more: pull requests as they are, and a few things to do with one. Each adapter
 * says so in its forge's words; contents, branches and merges of our own go by git alone.
 */
import type { GitId } from "../git/port.ts";

export interface PullRequest {
  readonly number: number;
  /** Of the same repository: a fork's branch of that name is somebody else's. */
  readonly branch: string;
  readonly state: "open" | "merged" | "closed";
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  /** For people. */
  readonly url: string;
  /** The commit that it became on the base; null: none, or the forge does not say. */
  readonly mergeCommit: GitId | null;
  /** By the forge's clock. */
  readonly updatedAt: Date;
}

export interface PullRequestDraft {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
}

export interface PullRequestMerge {
  /** The forge refuses where the branch stands elsewhere by now. */
  readonly head: GitId;
  readonly title: string;
  readonly message: string;
  /** One commit in the branch's place: what was withdrawn from it stays behind. */
  readonly squash: boolean;
}

/**
 * Every call rejects with TeamMemoryError: `remote_unreachable` where a later one may succeed (with `details.retryAtMs` where
 * the forge has said when), `remote_denied` where the token may not, `remote_refused` with the forge's words.
 */
export interface Forge {
  /** Those onto the base whose branch begins with `branchPrefix`, in any state, that have changed since; the newest first. */
  listSince(since: Date): Promise<readonly PullRequest[]>;
  /** Of two calls for one branch, from wherever, both get the same. Null: the branch has nothing that the base has not. */
  open(draft: PullRequestDraft): Promise<PullRequest | null>;
  edit(number: number, text: { readonly title?: string; readonly body: string }): Promise<void>;
  close(number: number): Promise<void>;
  /** Adds to those that it has. */
  label(number: number, labels: readonly string[]): Promise<void>;
  /** Names as people log in with. */
  requestReviews(number: number, reviewers: readonly string[]): Promise<void>;
  comment(number: number, text: string): Promise<void>;
  /** Comments and reviews with words, the newest last; of very many the newest. */
  comments(number: number): Promise<readonly ForgeComment[]>;
  merge(number: number, merge: PullRequestMerge): Promise<void>;
}

export interface ForgeComment {
  readonly at: Date;
  readonly text: string;
}

/** Where the pull requests are. */
export interface ForgePlace {
  readonly kind: ForgeKind;
  /** Of the API, without a slash at the end. */
  readonly apiUrl: string;
  /** `owner/name`; on GitLab with all its groups. */
  readonly repository: string;
  /** The branch that they go onto. */
  readonly base: string;
  readonly branchPrefix: string;
}

export type ForgeKind = "github" | "gitea" | "gitlab";
