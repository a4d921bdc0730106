/** The three APIs over the same pull requests, with the quirks of each: facts about forges, in the house's own words. */
import { DuplicateRequest, type FakePullRequest, ForgeRefusal, type PullRequests } from "./pull-requests.ts";

export interface ApiCall {
  readonly method: string;
  /** Below the API's address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ForgeState extends PullRequests {
  /** Of the repository's pages. */
  readonly pageUrl: string;
  readonly labels: Set<string>;
  /** How long after it was made a pull request cannot be merged yet. */
  mergeDelayMs: number;
  /** The branch goes with the merge, as many repositories are set up. */
  deletesBranches: boolean;
}

export type Dialect = (forge: ForgeState, call: ApiCall) => Promise<ApiAnswer>;

export const REPOSITORY = "acme/memory";

export function github(forge: ForgeState, call: ApiCall): Promise<ApiAnswer> {
  return likeGitHub(forge, call, {
    sizeName: "per_page",
    sizeMax: 100,
    duplicate: (branch) => ({
      status: 422,
      body: {
        message: "Validation Failed",
        errors: [{ message: `A pull request already exists for acme:${branch}.` }],
      },
    }),
    empty: {
      status: 422,
      body: { message: "Validation Failed", errors: [{ message: "No commits between main and it" }] },
    },
    patched: 200,
    mergeMethod: "PUT",
    toMerge: ({ sha, merge_method: how, commit_title: title, commit_message: text }) => ({
      head: String(sha),
      squash: how === "squash",
      message: `${String(title)}\n\n${String(text)}`,
    }),
    labels: (names) => names,
    isMergeable: () => true,
    toRow: (request) => toGitHubRow(forge, request),
  });
}

export function gitea(forge: ForgeState, call: ApiCall): Promise<ApiAnswer> {
  return likeGitHub(forge, call, {
    sizeName: "limit",
    sizeMax: 50,
    duplicate: () => ({ status: 409, body: { message: "pull request already exists for these targets" } }),
    empty: { status: 422, body: { message: "There are no changes between the head and the base" } },
    patched: 201,
    mergeMethod: "POST",
    toMerge: ({ head_commit_id: head, Do: how, MergeTitleField: title, MergeMessageField: text }) => ({
      head: String(head),
      squash: how === "squash",
      message: `${String(title)}\n\n${String(text)}`,
    }),
    // Names that no label has are passed over in silence.
    labels: (names) => names.filter((name) => forge.labels.has(name)),
    isMergeable: ({ createdAtMs }) => Date.now() - createdAtMs >= forge.mergeDelayMs,
    toRow: (request) => ({
      ...toGitHubRow(forge, request),
      merged: request.state === "merged",
      head: { ref: request.branch, sha: request.head, repo_id: request.isFork ? 2 : 1, repo: null },
      base: { ref: request.base, repo_id: 1, repo: { id: 1 } },
    }),
  });
}

interface Likeness {
  readonly sizeName: string;
  readonly sizeMax: number;
  readonly duplicate: (branch: string) => ApiAnswer;
  readonly empty: ApiAnswer;
  readonly patched: number;
  readonly mergeMethod: string;
  readonly toMerge: (body: Record<string, unknown>) => { head: string; squash: boolean; message: string };
  readonly labels: (names: readonly string[]) => readonly string[];
  readonly isMergeable: (request: FakePullRequest) => boolean;
  readonly toRow: (request: FakePullRequest) => unknown;
}

async function likeGitHub(
  forge: ForgeState,
  { method, path, query, body }: ApiCall,
  like: Likeness,
): Promise<ApiAnswer> {
  const rest = path.replace(`/repos/${REPOSITORY}`, "");
  if (rest === path) throw new ForgeRefusal(404, { message: "Not Found" });
  const page = <T>(rows: readonly T[]) =>
    pageOf(rows, { number: query.get("page"), size: query.get(like.sizeName), sizeMax: like.sizeMax });
  if (rest === "/labels")
    return method === "GET"
      ? ok(page([...forge.labels].map((name) => ({ name }))))
      : { status: 201, body: forge.labels.add(String(body["name"])) };
  if (rest === "/pulls" && method === "POST") return create(forge, body, like);
  if (rest === "/pulls") return ok(page(listed(forge, query)).map(like.toRow));
  const [, kind, number = "", what] = /^\/(pulls|issues)\/(\d+)(?:\/(\w+))?$/u.exec(rest) ?? [];
  const request = find(forge, Number(number));
  switch (`${method} ${kind} ${what ?? ""}`.trim()) {
    case "PATCH pulls":
      forge.touch(request, pick(body, ["title", "body", "state"]));
      return { status: like.patched, body: like.toRow(request) };
    case "POST issues labels":
      request.labels.push(...like.labels(body["labels"] as string[]));
      return ok([]);
    case "POST pulls requested_reviewers":
      request.reviewers.push(...(body["reviewers"] as string[]));
      return { status: 201, body: like.toRow(request) };
    case "POST issues comments":
      say(request, "bot", String(body["body"]));
      return { status: 201, body: {} };
    case "GET issues comments":
      return ok(page(request.comments.filter(({ isReview }) => !isReview)).map(toComment("created_at")));
    case "GET pulls reviews":
      return ok(page(request.comments.filter(({ isReview }) => isReview)).map(toComment("submitted_at")));
    case `${like.mergeMethod} pulls merge`:
      if (!like.isMergeable(request)) throw new ForgeRefusal(405, { message: "Please try again later" });
      await forge.merge(request, { ...like.toMerge(body), deletesBranch: forge.deletesBranches });
      return ok({ merged: true });
    default:
      throw new ForgeRefusal(404, { message: "Not Found" });
  }
}

async function create(forge: ForgeState, body: Record<string, unknown>, like: Likeness): Promise<ApiAnswer> {
  const branch = String(body["head"]);
  if ((await forge.headOf(branch)) === (await forge.headOf(String(body["base"])))) return like.empty;
  const draft = { branch, base: String(body["base"]), title: String(body["title"]), body: String(body["body"]) };
  try {
    return { status: 201, body: like.toRow(await forge.open(draft)) };
  } catch (error) {
    if (error instanceof DuplicateRequest) return like.duplicate(branch);
    throw error;
  }
}

function toGitHubRow(forge: ForgeState, request: FakePullRequest) {
  const isMerged = request.state === "merged";
  return {
    number: request.number,
    state: request.state === "open" ? "open" : "closed",
    title: request.title,
    body: request.body,
    labels: request.labels.map((name) => ({ name })),
    html_url: `${forge.pageUrl}/pulls/${request.number}`,
    merged_at: isMerged ? toSeconds(request.updatedAtMs) : null,
    merge_commit_sha: request.mergeCommit,
    updated_at: toSeconds(request.updatedAtMs),
    head: { ref: request.branch, sha: request.head, repo: { id: request.isFork ? 2 : 1 } },
    base: { ref: request.base, repo: { id: 1 } },
  };
}

/** Merge requests, whose list has no order of its own but the one that is asked for. */
export async function gitlab(forge: ForgeState, { method, path, query, body }: ApiCall): Promise<ApiAnswer> {
  const all = `/projects/${encodeURIComponent(REPOSITORY)}/merge_requests`;
  const page = <T>(rows: readonly T[]) =>
    pageOf(rows, { number: query.get("page"), size: query.get("per_page"), sizeMax: 100 });
  const toRow = (request: FakePullRequest) => toGitLabRow(forge, request);
  if (path === "/users") return ok([{ id: 7, username: query.get("username") }]);
  if (path === all && method === "GET") return ok(page(listed(forge, query)).map(toRow));
  if (path === all) {
    const [branch, base] = [String(body["source_branch"]), String(body["target_branch"])];
    const draft = { branch, base, title: String(body["title"]), body: String(body["description"]) };
    try {
      return { status: 201, body: toRow(await forge.open(draft)) };
    } catch (error) {
      if (!(error instanceof DuplicateRequest)) throw error;
      return { status: 409, body: { message: [`Another open merge request already exists: !${error.number}`] } };
    }
  }
  const [, number = "", what] = /\/merge_requests\/(\d+)(?:\/(\w+))?$/u.exec(path) ?? [];
  const request = find(forge, Number(number));
  switch (`${method} ${what ?? ""}`.trim()) {
    case "PUT":
      edit(forge, request, body);
      return ok(toRow(request));
    case "POST notes":
      say(request, "bot", String(body["body"]));
      return { status: 201, body: {} };
    case "GET notes":
      return ok(page(toNotes(request)));
    case "PUT merge":
      if (Date.now() - request.createdAtMs < forge.mergeDelayMs)
        throw new ForgeRefusal(405, { message: "405 Method Not Allowed" });
      await forge.merge(request, {
        head: String(body["sha"]),
        squash: body["squash"] === true,
        message: String(body["merge_commit_message"] ?? body["squash_commit_message"]),
        deletesBranch: forge.deletesBranches,
      });
      return ok(toRow(request));
    default:
      throw new ForgeRefusal(404, { message: "404 Not Found" });
  }
}

function edit(forge: ForgeState, request: FakePullRequest, body: Record<string, unknown>): void {
  const { description, state_event: event, add_labels: labels, reviewer_ids: reviewers } = body;
  forge.touch(request, {
    ...pick(body, ["title"]),
    ...(description === undefined ? {} : { body: String(description) }),
    ...(event === "close" ? { state: "closed" } : {}),
  });
  if (typeof labels === "string") request.labels.push(...labels.split(","));
  if (Array.isArray(reviewers)) request.reviewers.push(...reviewers.map(String));
}

function toGitLabRow(forge: ForgeState, request: FakePullRequest) {
  return {
    iid: request.number,
    state: request.state === "open" ? "opened" : request.state,
    title: request.title,
    description: request.body,
    labels: request.labels,
    web_url: `${forge.pageUrl}/-/merge_requests/${request.number}`,
    source_branch: request.branch,
    target_branch: request.base,
    source_project_id: request.isFork ? 2 : 1,
    target_project_id: 1,
    sha: request.head,
    merge_commit_sha: request.mergeCommit,
    updated_at: new Date(request.updatedAtMs).toISOString(),
  };
}

/** The forge's own notes stand between what people say. */
function toNotes({ comments }: FakePullRequest) {
  const system = { system: true, body: "added 1 commit", created_at: new Date().toISOString() };
  return [...comments.map((comment) => ({ ...toComment("created_at")(comment), system: false })), system];
}

function toComment(time: string) {
  return ({ by, at, text }: FakePullRequest["comments"][number]) => ({
    user: { login: by },
    body: text,
    [time]: at.toISOString(),
  });
}

function listed({ all }: ForgeState, query: URLSearchParams): readonly FakePullRequest[] {
  const state = (query.get("state") ?? "open").replace("opened", "open");
  const head = query.get("head")?.split(":")[1] ?? query.get("source_branch");
  const base = query.get("base") ?? query.get("target_branch");
  const after = Date.parse(query.get("updated_after") ?? "1970-01-01T00:00:00Z");
  return [...all]
    .filter((request) => state === "all" || (state === "open") === (request.state === "open"))
    .filter((request) => (head === null || request.branch === head) && (base === null || request.base === base))
    .filter(({ updatedAtMs }) => updatedAtMs >= after)
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs || b.number - a.number);
}

interface Page {
  readonly number: string | null;
  readonly size: string | null;
  readonly sizeMax: number;
}

function pageOf<T>(rows: readonly T[], { number, size, sizeMax }: Page): readonly T[] {
  const count = Math.min(Number(size ?? 30), sizeMax);
  const start = (Number(number ?? 1) - 1) * count;
  return rows.slice(start, start + count);
}

function find({ all }: ForgeState, number: number): FakePullRequest {
  const request = all.find((one) => one.number === number);
  if (request === undefined) throw new ForgeRefusal(404, { message: "Not Found" });
  return request;
}

export function say(request: FakePullRequest, by: string, text: string, isReview = false): void {
  request.comments.push({ by, at: new Date(), text, isReview });
  request.updatedAtMs = Date.now();
}

function ok(body: unknown): ApiAnswer {
  return { status: 200, body };
}

function pick(body: Record<string, unknown>, names: readonly string[]): Partial<FakePullRequest> {
  return Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]));
}

function toSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
