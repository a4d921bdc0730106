/** GitLab: merge requests, which are pull requests by another name. */
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { Forge, ForgePlace, PullRequest, PullRequestDraft } from "../forge.ts";
import type { ForgeClient, ForgeQuery } from "../forge-client.ts";
import { statusOf } from "./github.ts";
import { retryMerge } from "./retry-merge.ts";
import { dateOf, idOf, labelsOf, numberOf, type Row, textOf, toRow, toRows } from "./rows.ts";

const PAGE = ["per_page", 100] as const;

export function buildGitLab(client: ForgeClient, place: ForgePlace): Forge {
  const all = `/projects/${encodeURIComponent(place.repository)}/merge_requests`;
  const one = (number: number) => `${all}/${number}`;
  const edit = (number: number, body: unknown) => client.write("PUT", one(number), body);
  const list = async (query: ForgeQuery) => {
    const rows = await client.pages(all, { ...query, target_branch: place.base }, { size: PAGE });
    return toRows(rows).flatMap((row) => toPullRequest(row, place) ?? []);
  };

  async function open({ branch, title, body }: PullRequestDraft): Promise<PullRequest | null> {
    const draft = { source_branch: branch, target_branch: place.base, title, description: body };
    try {
      return toPullRequest(toRow(await client.write("POST", all, { ...draft, remove_source_branch: true })), place);
    } catch (error) {
      if (!isTeamMemoryError(error) || statusOf(error) !== 409) throw error;
      const [found] = await list({ state: "opened", source_branch: branch });
      if (found === undefined) throw error;
      return found;
    }
  }

  return {
    listSince: (since) =>
      list({ state: "all", scope: "all", order_by: "updated_at", sort: "desc", updated_after: since.toISOString() }),
    open,
    edit: async (number, { title, body }) =>
      void (await edit(number, { ...(title === undefined ? {} : { title }), description: body })),
    close: async (number) => void (await edit(number, { state_event: "close" })),
    label: async (number, labels) => void (await edit(number, { add_labels: labels.join(",") })),
    requestReviews: async (number, reviewers) => {
      const found = await Promise.all(reviewers.map((username) => client.get("/users", { username })));
      const ids = found.flatMap((users) => (Array.isArray(users) ? toRows(users) : [])).map(({ id }) => numberOf(id));
      if (ids.length > 0) await edit(number, { reviewer_ids: ids });
    },
    comment: async (number, text) => void (await client.write("POST", `${one(number)}/notes`, { body: text })),
    comments: async (number) => {
      const rows = await client.pages(`${one(number)}/notes`, { sort: "asc", order_by: "created_at" }, { size: PAGE });
      // What the forge itself notes down, such as a new commit, is nobody's word.
      const said = toRows(rows).filter(({ system }) => system !== true);
      const worded = said.map((row) => ({ at: dateOf(row["created_at"]), text: textOf(row["body"]) }));
      return worded.filter(({ text }) => text.trim() !== "").slice(-LIMITS.forgeCommentsMax);
    },
    merge: (number, { head, title, message, squash }) => {
      const text = `${title}\n\n${message}`;
      const words = squash ? { squash_commit_message: text } : { merge_commit_message: text };
      return retryMerge(() => client.write("PUT", `${one(number)}/merge`, { sha: head, squash, ...words }));
    },
  };
}

const STATES: Readonly<Record<string, PullRequest["state"]>> = { opened: "open", locked: "open", merged: "merged" };

/** Null for one of a fork, onto another base, or of another branch than ours. */
function toPullRequest(row: Row, place: ForgePlace): PullRequest | null {
  const branch = textOf(row["source_branch"]);
  const isOurs = row["source_project_id"] === row["target_project_id"];
  if (!isOurs || !branch.startsWith(place.branchPrefix) || row["target_branch"] !== place.base) return null;
  return {
    number: numberOf(row["iid"]),
    branch,
    state: STATES[textOf(row["state"])] ?? "closed",
    title: textOf(row["title"]),
    body: textOf(row["description"]),
    labels: labelsOf(row["labels"]),
    url: textOf(row["web_url"]),
    mergeCommit: idOf(row["merge_commit_sha"]) ?? idOf(row["squash_commit_sha"]) ?? idOf(row["sha"]),
    updatedAt: dateOf(row["updated_at"]),
  };
}
