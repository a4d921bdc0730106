/** What a forge knows of pull requests, over a real bare repository: branches and pull requests always agree. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitEnvironment, git as runGit } from "../git.ts";
import { mustRun } from "../run.ts";

export interface FakePullRequest {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  title: string;
  body: string;
  state: "open" | "merged" | "closed";
  labels: string[];
  reviewers: string[];
  comments: { readonly by: string; readonly at: Date; readonly text: string; readonly isReview: boolean }[];
  head: string;
  mergeCommit: string | null;
  /** True: a fork's branch of the same name. */
  readonly isFork: boolean;
  readonly createdAtMs: number;
  updatedAtMs: number;
}

export class ForgeRefusal extends Error {
  readonly status: number;
  readonly words: unknown;

  constructor(status: number, words: unknown) {
    super(`the forge refuses with ${status}`);
    this.status = status;
    this.words = words;
  }
}

export class DuplicateRequest extends Error {
  readonly number: number;

  constructor(number: number) {
    super(`there is !${number} already`);
    this.number = number;
  }
}

export interface MergeCall {
  readonly head?: string | undefined;
  readonly squash?: boolean;
  readonly message: string;
  readonly deletesBranch?: boolean;
  /** Files that the one who merges changes on the way, by path; null takes one away. */
  readonly edits?: Readonly<Record<string, string | null>>;
}

/** Who clicks on the forge's pages. */
const REVIEWER = { name: "Rita Reviewer", email: "rita@example.org" };

export function buildPullRequests(gitDir: string) {
  const all: FakePullRequest[] = [];
  /** Branch and base as they were last looked at, by number. */
  const followed = new Map<number, string>();
  const git = (args: readonly string[], env = gitEnvironment(gitDir, REVIEWER)) => runGit(gitDir, args, env);

  /** Nothing packs references there. */
  async function headOf(branch: string): Promise<string | null> {
    const text = await readFile(join(gitDir, "refs/heads", branch), "utf8").catch(() => null);
    return text?.trim() ?? null;
  }

  /** As forges do after each push: heads follow, what the base contains is merged, what has no branch is closed. */
  async function catchUp(): Promise<void> {
    for (const request of all.filter(({ state, isFork }) => state === "open" && !isFork)) await follow(request);
  }

  async function follow(request: FakePullRequest): Promise<void> {
    const [head, tip] = [await headOf(request.branch), (await headOf(request.base)) ?? ""];
    const seen = `${head} ${tip}`;
    if (followed.get(request.number) === seen) return;
    followed.set(request.number, seen);
    if (head !== null && head !== request.head) touch(request, { head });
    const common = await git(["merge-base", request.head, tip]).catch(() => "");
    if (common === request.head) touch(request, { state: "merged", mergeCommit: tip });
    else if (head === null) touch(request, { state: "closed" });
  }

  function touch(request: FakePullRequest, change: Partial<FakePullRequest>): void {
    Object.assign(request, change, { updatedAtMs: Date.now() });
  }

  async function open(draft: Pick<FakePullRequest, "branch" | "base" | "title" | "body">, isFork = false) {
    const head = isFork ? "0".repeat(40) : await headOf(draft.branch);
    const known = isFork ? undefined : all.find(({ branch, state }) => branch === draft.branch && state === "open");
    if (known !== undefined) throw new DuplicateRequest(known.number);
    if (head === null) throw new ForgeRefusal(404, { message: "The branch could not be found" });
    const request: FakePullRequest = {
      ...{ ...draft, head, isFork, number: all.length + 1, state: "open", mergeCommit: null },
      ...{ labels: [], reviewers: [], comments: [], createdAtMs: Date.now(), updatedAtMs: Date.now() },
    };
    all.push(request);
    return request;
  }

  /** A commit on a branch, of the tree that has these files changed. */
  async function commitFiles(branch: string, files: Readonly<Record<string, string | null>>, message: string) {
    const head = (await headOf(branch)) ?? "";
    const commit = await git(["commit-tree", await treeWith(head, files), "-p", head, "-m", message]);
    await git(["update-ref", `refs/heads/${branch}`, commit, head]);
    await catchUp();
  }

  async function treeWith(commit: string, files: Readonly<Record<string, string | null>>): Promise<string> {
    const env = { ...gitEnvironment(gitDir, REVIEWER), GIT_INDEX_FILE: `${gitDir}/forge-index` };
    await git(["read-tree", commit], env);
    const lines = Object.entries(files).map(async ([path, text]) =>
      text === null ? `0 ${"0".repeat(40)}\t${path}` : `100644 ${await writeBlob(text)}\t${path}`,
    );
    const input = `${(await Promise.all(lines)).join("\n")}\n`;
    await mustRun("git", ["update-index", "--index-info"], { cwd: gitDir, env, input });
    return git(["write-tree"], env);
  }

  async function writeBlob(text: string): Promise<string> {
    const { stdout } = await mustRun("git", ["hash-object", "-w", "--stdin"], {
      cwd: gitDir,
      env: gitEnvironment(gitDir),
      input: text,
    });
    return stdout.trim();
  }

  async function merge(request: FakePullRequest, call: MergeCall): Promise<void> {
    const { head, base } = request;
    if (call.head !== undefined && call.head !== head) throw new ForgeRefusal(409, { message: "head out of date" });
    const tip = (await headOf(base)) ?? "";
    const merged = await git(["merge-tree", "--write-tree", tip, head]).catch(() => null);
    if (merged === null) throw new ForgeRefusal(409, { message: "merge conflict" });
    const whole = await git(["commit-tree", merged, "-p", tip, "-m", "merged"]);
    const tree = call.edits === undefined ? merged : await treeWith(whole, call.edits);
    const parents = call.squash === true ? ["-p", tip] : ["-p", tip, "-p", head];
    const commit = await git(["commit-tree", tree, ...parents, "-m", call.message]);
    await git(["update-ref", `refs/heads/${base}`, commit, tip]);
    touch(request, { state: "merged", mergeCommit: commit });
    if (call.deletesBranch === true) await git(["update-ref", "-d", `refs/heads/${request.branch}`]);
  }

  return { all, headOf, catchUp, touch, open, commitFiles, merge, git };
}

export type PullRequests = ReturnType<typeof buildPullRequests>;
