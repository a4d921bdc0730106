/** What became of everything that was tried, as plain git sees it in the remote and as the service tells it. */
import { git } from "../support/git.ts";
import type { Attempt } from "./kill-service-load.ts";
import { openProposalsApi } from "./proposals-api.ts";

/** Blob ids by path. */
type Files = ReadonlyMap<string, string>;

interface Seen {
  /** Of the base in the remote. */
  readonly base: Files;
  /** Paths that more than one commit of the base has touched: each is proposed once. */
  readonly repeated: ReadonlySet<string>;
  /** Of each proposal's branch in the remote, by the proposal's id. */
  readonly branches: ReadonlyMap<string, Files>;
  /** Blobs by key, and ids of open proposals, as the service has them, by project. */
  readonly served: ReadonlyMap<string, Files>;
  readonly open: ReadonlyMap<string, readonly string[]>;
}

interface Service {
  readonly url: string;
  readonly token: string;
}

/** In words; none: every acknowledged proposal is there, and of the others all or nothing. */
export async function findAmiss(gitDir: string, service: Service, attempts: readonly Attempt[]): Promise<string[]> {
  const projects = [...new Set(attempts.map(({ project }) => project))];
  const seen = { ...(await look(gitDir)), ...(await ask(service, projects)) };
  return attempts.flatMap((attempt) => judge(attempt, seen).map((problem) => `${attempt.id}: ${problem}`));
}

function judge({ project, id, blobs, isAcknowledged, isMerged }: Attempt, seen: Seen): string[] {
  const folder = `projects/${project.replaceAll("~", "/")}/team/`;
  const paths = [...blobs].map(([key, blob]) => [folder + key, blob] as const);
  const branch = seen.branches.get(id);
  const based = countOf(paths, seen.base);
  const served = countOf([...blobs], seen.served.get(project));
  const isOpen = seen.open.get(project)?.includes(id) === true;
  const isThere = based === blobs.size || branch !== undefined;
  const problems: readonly (readonly [string, boolean])[] = [
    ["half of it stands on the base", based !== 0 && based !== blobs.size],
    ["half of it stands on its branch", branch !== undefined && countOf(paths, branch) !== blobs.size],
    ["it stands on the base and its branch is left", based !== 0 && branch !== undefined],
    ["it went into the base twice", paths.some(([path]) => seen.repeated.has(path))],
    ["it was acknowledged and is gone", isAcknowledged && !isThere],
    ["it was merged and is not on the base", isMerged && based === 0],
    ["the service serves another base than the remote has", served !== based],
    ["the service lists it otherwise than the remote has it", isOpen !== (branch !== undefined)],
  ];
  return problems.flatMap(([problem, holds]) => (holds ? [problem] : []));
}

function countOf(wanted: readonly (readonly [string, string])[], files: Files = new Map()): number {
  return wanted.filter(([path, blob]) => files.get(path) === blob).length;
}

async function look(gitDir: string): Promise<Pick<Seen, "base" | "repeated" | "branches">> {
  const refs = await git(gitDir, ["for-each-ref", "--format=%(refname)", "refs/heads/team-memory/"]);
  const branches = new Map<string, Files>();
  for (const ref of refs.split("\n").filter((line) => line !== "")) {
    branches.set(ref.slice(ref.lastIndexOf("/") + 1), await listFiles(gitDir, ref));
  }
  const touched = await git(gitDir, ["log", "--first-parent", "-m", "--name-only", "--format=", "main"]);
  const paths = touched.split("\n").filter((line) => line.startsWith("projects/"));
  const repeated = new Set(paths.filter((path, at) => paths.indexOf(path) !== at));
  return { base: await listFiles(gitDir, "main"), repeated, branches };
}

/** `<mode> blob <id>`, a tab, the path. */
async function listFiles(gitDir: string, ref: string): Promise<Files> {
  const lines = (await git(gitDir, ["ls-tree", "-r", ref])).split("\n");
  return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.split(/[ \t]/)[2] ?? ""]));
}

async function ask({ url, token }: Service, projects: readonly string[]): Promise<Pick<Seen, "served" | "open">> {
  const served = new Map<string, Files>();
  const open = new Map<string, readonly string[]>();
  for (const project of projects) {
    const api = openProposalsApi(url, token, project);
    served.set(project, await api.blobs());
    open.set(
      project,
      (await api.list()).map(({ id }) => id),
    );
  }
  return { served, open };
}
