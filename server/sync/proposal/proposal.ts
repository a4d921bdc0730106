import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { ProjectName } from "../../../shared/project/parse-project-name.ts";
import type { GitId, Identity } from "../../git/port.ts";
import type { SentSet } from "./sent.ts";

/** One wanted change of one key: `base` is the blob it replaces, `blob` the wanted one; null: no file. */
export interface KeyChange {
  readonly base: GitId | null;
  readonly blob: GitId | null;
}

/** Whose it is, in words: its person, and those who committed to its branch. */
export function toBy({ person, others }: Pick<OpenProposal, "person" | "others">): string {
  return [person.name, ...others].join(", ");
}

/** An open proposal, as its branch alone tells it. */
export interface OpenProposal {
  readonly id: string;
  readonly project: ProjectName;
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  /**
   * False: somebody pushed it with git, or its seal is of another secret. Then its person is a claim: enough to let them go
   * on with it, never to call it theirs.
   */
  readonly isSealed: boolean;
  readonly title: string;
  /** True: its person gave it that title; else it is made of `changes`. */
  readonly isTitled: boolean;
  readonly seq: number;
  /** Hash over the set that the client sent last. */
  readonly content: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly head: GitId;
  /** The commit of the base that the branch builds on. */
  readonly fork: GitId;
  /** Its own commits, head included; none of them is on the base. */
  readonly commits: readonly GitId[];
  /** True: a commit of the branch has no seal, so it may be a person's; the branch from then on is only ever appended to. */
  readonly hasHumanCommits: boolean;
  /** Names of those who committed there beside its person, as git has them, marked as that. */
  readonly others: readonly string[];
  /** Who committed there last beside its person, in the same way; null: nobody. */
  readonly pusher: Identity | null;
  /** What the head has other than `fork`, by key. */
  readonly changes: ReadonlyMap<MemoryKey, KeyChange>;
  /** Of `changes` those whose very text was approved here: where the base had moved, it got one that holds both changes. */
  readonly approved: ReadonlySet<MemoryKey>;
  /** So many merges of it the base had when this was read. */
  readonly mergesSeen: number;
  /** What the client sent last, by key: differs from `changes` where a person has committed. */
  readonly sent: SentSet;
  /** What the branch changes that the service cannot merge: other places, links, names that no memory may have. */
  readonly foreign: readonly string[];
}
