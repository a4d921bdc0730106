/** GitHub and GitHub Enterprise, and by a few differences Gitea and Forgejo, whose API was made after it. */
import { isTeamMemoryError, type TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { Forge, ForgePlace, PullRequest, PullRequestDraft, PullRequestMerge } from "../forge.ts";
import type { ForgeClient, ForgeQuery } from "../forge-client.ts";
import { retryMerge } from "./retry-merge.ts";
import { dateOf, idOf, labelsOf, numberOf, type Row, textOf, toRow, toRows } from "./rows.ts";

/** Where forges of this kind differ. */
export interface Dialect {
  /** The newest changes first, of all states. */
  readonly newest: ForgeQuery;
  /** The size of a page. */
  readonly size: readonly [name: string, count: number];
  /** Whether a list can be asked for the pull requests of one branch. */
  readonly findsByBranch: boolean;
  /** What a duplicate is refused with. */
  readonly isDuplicate: (error: TeamMemoryError) => boolean;
  readonly isEmpty: (error: TeamMemoryError) => boolean;
  /** The repository that a pull request's branch lies in. */
  readonly headRepositoryOf: (head: Row) => unknown;
  readonly label: (client: ForgeClient, repository: string, labels: readonly string[]) => Promise<void>;
  readonly merge: (merge: PullRequestMerge) => { readonly method: "PUT" | "POST"; readonly body: unknown };
}

const GITHUB: Dialect = {
  newest: { state: "all", sort: "updated", direction: "desc" },
  size: ["per_page", 100],
  findsByBranch: true,
  isDuplicate: (error) => statusOf(error) === 422 && /pull request already exists/iu.test(error.message),
  isEmpty: (error) => statusOf(error) === 422 && /no commits between/iu.test(error.message),
  headRepositoryOf: (head) => toRow(head["repo"])["id"],
  // A label that is not there is made.
  label: async () => {},
  merge: ({ head, title, message, squash }) => ({
    method: "PUT",
    body: { merge_method: squash ? "squash" : "merge", sha: head, commit_title: title, commit_message: message },
  }),
};

export function buildGitHub(client: ForgeClient, place: ForgePlace, dialect: Dialect = GITHUB): Forge {
  const repo = `/repos/${place.repository}`;
  const [owner = ""] = place.repository.split("/");
  const toOurs = (row: Row) => toPullRequest(row, place, dialect);

  async function list(query: ForgeQuery, isWanted: (page: readonly Row[]) => boolean) {
    const paging = { size: dialect.size, isWanted: (page: readonly unknown[]) => isWanted(toRows(page)) };
    const rows = await client.pages(`${repo}/pulls`, query, paging);
    return toRows(rows).flatMap((row) => toOurs(row) ?? []);
  }

  /** A list by branch may miss what was made this very second. */
  async function findOpen(branch: string): Promise<PullRequest | null> {
    const isIt = (one: PullRequest) => one.branch === branch && one.state === "open";
    if (dialect.findsByBranch) {
      const query = { state: "open", head: `${owner}:${branch}`, base: place.base };
      const found = (await list(query, () => true)).find(isIt);
      if (found !== undefined) return found;
    }
    return (await list({ ...dialect.newest, state: "open" }, () => true)).find(isIt) ?? null;
  }

  async function open({ branch, title, body }: PullRequestDraft): Promise<PullRequest | null> {
    try {
      return toOurs(
        toRow(await client.write("POST", `${repo}/pulls`, { head: branch, base: place.base, title, body })),
      );
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      if (dialect.isEmpty(error)) return null;
      const found = dialect.isDuplicate(error) ? await findOpen(branch) : null;
      if (found === null) throw error;
      return found;
    }
  }

  async function comments(number: number) {
    const said = await client.pages(`${repo}/issues/${number}/comments`, {}, { size: dialect.size });
    const reviewed = await client.pages(`${repo}/pulls/${number}/reviews`, {}, { size: dialect.size });
    const all = toRows([...said, ...reviewed]).map((row) => ({
      at: dateOf(row["created_at"] ?? row["submitted_at"]),
      text: textOf(row["body"]),
    }));
    const worded = all.filter(({ text }) => text.trim() !== "").sort((a, b) => a.at.getTime() - b.at.getTime());
    return worded.slice(-LIMITS.forgeCommentsMax);
  }

  return {
    listSince: (since) => {
      const isNewer = (page: readonly Row[]) => dateOf(page.at(-1)?.["updated_at"]) >= since;
      return list({ ...dialect.newest, ...(dialect.findsByBranch && { base: place.base }) }, isNewer);
    },
    open,
    edit: async (number, text) => void (await client.write("PATCH", `${repo}/pulls/${number}`, text)),
    close: async (number) => void (await client.write("PATCH", `${repo}/pulls/${number}`, { state: "closed" })),
    label: async (number, labels) => {
      await dialect.label(client, repo, labels);
      await client.write("POST", `${repo}/issues/${number}/labels`, { labels });
    },
    requestReviews: async (number, reviewers) =>
      void (await client.write("POST", `${repo}/pulls/${number}/requested_reviewers`, { reviewers })),
    comment: async (number, text) =>
      void (await client.write("POST", `${repo}/issues/${number}/comments`, { body: text })),
    comments,
    merge: (number, merge) => {
      const { method, body } = dialect.merge(merge);
      return retryMerge(() => client.write(method, `${repo}/pulls/${number}/merge`, body));
    },
  };
}

export function statusOf({ details }: TeamMemoryError): unknown {
  return details["status"];
}

/** Null for one of a fork, onto another base, or of another branch than ours. */
function toPullRequest(row: Row, place: ForgePlace, dialect: Dialect): PullRequest | null {
  const [head, base] = [toRow(row["head"]), toRow(row["base"])];
  const branch = textOf(head["ref"]);
  const isOurs = dialect.headRepositoryOf(head) === dialect.headRepositoryOf(base);
  if (!isOurs || !branch.startsWith(place.branchPrefix) || base["ref"] !== place.base) return null;
  const isMerged = row["merged"] === true || textOf(row["merged_at"]) !== "";
  return {
    number: numberOf(row["number"]),
    branch,
    state: isMerged ? "merged" : row["state"] === "open" ? "open" : "closed",
    title: textOf(row["title"]),
    body: textOf(row["body"]),
    labels: labelsOf(row["labels"]),
    url: textOf(row["html_url"]),
    mergeCommit: isMerged ? idOf(row["merge_commit_sha"]) : null,
    updatedAt: dateOf(row["updated_at"]),
  };
}
