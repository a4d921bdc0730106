/** Gitea and Forgejo, where they differ from GitHub. */

import { type Dialect, statusOf } from "./github.ts";
import { toRow, toRows } from "./rows.ts";

const LABEL_COLOUR = "#6e7681";

export const GITEA: Dialect = {
  newest: { state: "all", sort: "recentupdate" },
  size: ["limit", 50],
  findsByBranch: false,
  isDuplicate: (error) => statusOf(error) === 409,
  isEmpty: (error) => statusOf(error) === 422 && /no changes|nothing to compare|identical/iu.test(error.message),
  // Kept also where the branch is gone, and with it the repository's row.
  headRepositoryOf: (head) => head["repo_id"] ?? toRow(head["repo"])["id"],
  // One that is not there is no error, and no label either.
  label: async (client, repository, labels) => {
    const known = await client.pages(`${repository}/labels`, {}, { size: ["limit", 50] });
    const names = new Set(toRows(known).map(({ name }) => name));
    for (const name of labels.filter((label) => !names.has(label))) {
      await client.write("POST", `${repository}/labels`, { name, color: LABEL_COLOUR });
    }
  },
  merge: ({ head, title, message, squash }) => ({
    method: "POST",
    body: {
      Do: squash ? "squash" : "merge",
      head_commit_id: head,
      MergeTitleField: title,
      MergeMessageField: message,
    },
  }),
};
