import { TeamMemoryError } from "../errors/team-memory-error.ts";
import { LIMITS } from "../limits.ts";
import { escapeForDisplay } from "../path/escape-for-display.ts";

/**
 * A project is named by its repository: `github.com/acme/shop`, a port as `host_8443`. The brand says that the name is
 * safe as a path in git, as a folder on any disk and as one URL segment; it does not say that the project exists.
 */
export type ProjectName = string & { readonly __brand: "ProjectName" };

/** `~` cannot stand in a name, so that URLs may write it for `/` and the remote may mark a segment with it. */
const SEGMENT = /^[a-z0-9_-][a-z0-9._-]*$/;

const FOLDER_ROOT = "projects";
const FOLDER_LEAF = "team";
/** A project segment that is itself `team`: without the mark, `a` and `a/team/b` would lie in one another's folders. */
const FOLDER_LEAF_AS_SEGMENT = "team~";

/** The name itself. Throws `bad_request` with `details.field` `project` and the broken rule. */
export function parseProjectName(name: unknown): ProjectName {
  if (typeof name !== "string") throw refusal(typeof name, "is not text");
  const rule = brokenRule(name);
  if (rule !== null) throw refusal(name, rule);
  return name as ProjectName;
}

/** One URL segment: `github.com~acme~shop`. Proxies mangle `%2F`. */
export function toUrlSegment(project: ProjectName): string {
  return project.replaceAll("/", "~");
}

/** The other way; throws `bad_request`. A decoded `/` is refused: each project has one URL. */
export function fromUrlSegment(segment: string): ProjectName {
  if (segment.includes("/")) throw refusal(segment, "writes / where a URL has ~");
  return parseProjectName(segment.replaceAll("~", "/"));
}

/** Where the project's team memories lie in the remote: `projects/github.com/acme/shop/team`. */
export function toRemoteFolder(project: ProjectName): string {
  const segments = project.split("/").map((segment) => (segment === FOLDER_LEAF ? FOLDER_LEAF_AS_SEGMENT : segment));
  return [FOLDER_ROOT, ...segments, FOLDER_LEAF].join("/");
}

/** The project whose folder this is; null for any other path, hostile ones included: a remote may hold anything. */
export function fromRemoteFolder(folder: string): ProjectName | null {
  const [root, ...rest] = folder.split("/");
  const leaf = rest.pop();
  if (root !== FOLDER_ROOT || leaf !== FOLDER_LEAF || rest.includes(FOLDER_LEAF)) return null;
  const name = rest.map((segment) => (segment === FOLDER_LEAF_AS_SEGMENT ? FOLDER_LEAF : segment)).join("/");
  return brokenRule(name) === null ? (name as ProjectName) : null;
}

/** The first rule that a name breaks, as the end of the sentence "project name … "; null: none. */
export function brokenRule(name: string): string | null {
  if (name === "") return "is empty";
  if (name.length > LIMITS.projectNameLengthMax) return `is longer than ${LIMITS.projectNameLengthMax} characters`;
  const segments = name.split("/");
  if (segments.length > LIMITS.projectSegmentsMax) return `has more than ${LIMITS.projectSegmentsMax} segments`;
  for (const segment of segments) {
    if (segment === "") return "has an empty segment";
    if (segment.startsWith(".")) return "has a segment that starts with a dot";
    if (!SEGMENT.test(segment)) return "has a segment with other characters than a-z 0-9 . _ -";
    if (segment.includes("..")) return "has two dots in a row";
    if (segment.endsWith(".lock")) return "has a segment that ends in .lock";
  }
  return null;
}

function refusal(name: string, rule: string): TeamMemoryError {
  return new TeamMemoryError("bad_request", `Cannot read a project name: ${escapeForDisplay(name)} ${rule}`, {
    details: { field: "project", rule },
  });
}
