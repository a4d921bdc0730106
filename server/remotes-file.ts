/**
 * The file of `--config`: the remotes of a service, in YAML or JSON. Secrets never stand in it, only where they are. Every
 * problem is told at once, with the file's line and the path in it, and never with the value: it may be a secret after all.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { isTeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import { FORGE_SETTINGS } from "./forge-settings.ts";
import { SERVICE_IDENTITY } from "./git/service-identity.ts";
import { parseEmail, parsePersonName } from "./people/parse-person.ts";
import { planServed, type Row } from "./plan-served.ts";
import { type RemoteSetting, type RemoteSettings, readRemoteSettings } from "./remote-settings.ts";
import { type Served, toDirect } from "./served-remotes.ts";
import { toPattern } from "./settings-schema.ts";

const REMOTE_SETTINGS = [
  "url",
  "token-file",
  "askpass",
  "ssh-key",
  "known-hosts",
  "folder",
  "base-branch",
  ...FORGE_SETTINGS,
] as const satisfies readonly RemoteSetting[];

type FilePath = readonly PropertyKey[];
type Report = (path: FilePath, rule: string) => void;

export interface RemotesFilePlaces {
  readonly dataFolder: string;
  /** What variables hold, by name: the file names the one that a token stands in. */
  readonly readVariable: (name: string) => string | undefined;
}

const patterns = z.array(z.string().transform(toPattern)).max(LIMITS.patternsPerRemoteMax);

const rowSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/u, "small letters, digits and dashes, at most 40"),
  url: z.string().exactOptional(),
  "token-file": z.string().exactOptional(),
  "token-variable": z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/u, "the name of an environment variable")
    .exactOptional(),
  askpass: z.string().exactOptional(),
  "ssh-key": z.string().exactOptional(),
  "known-hosts": z.string().exactOptional(),
  folder: z.string().exactOptional(),
  "base-branch": z.string().exactOptional(),
  forge: z.string().exactOptional(),
  "forge-url": z.string().exactOptional(),
  "forge-token-file": z.string().exactOptional(),
  "forge-reviewers": z.string().exactOptional(),
  projects: patterns.min(1, "at least one pattern; * is every project"),
  review: z.enum(["required", "direct"]).default("required"),
  "review-direct": patterns.default([]),
  committer: z
    .strictObject({ name: personText(parsePersonName), email: personText(parseEmail) })
    .default({ ...SERVICE_IDENTITY }),
  people: z.boolean().default(false),
});
/** What stands beside the remotes is told apart, so that it hides nothing of what is wrong with them. */
const fileSchema = z.object({ remotes: z.array(z.unknown()).min(1).max(LIMITS.remotesMax) });

function personText(parse: (text: string) => string) {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      context.addIssue(error.message);
      return z.NEVER;
    }
  });
}

/** What the file says, or what is wrong with it; null with a problem, never without one. */
export function readRemotesFile(
  path: string,
  places: RemotesFilePlaces,
): { readonly served: Served | null; readonly problems: readonly string[] } {
  const text = tryRead(path);
  if (text === null) return { served: null, problems: [`${path}: it cannot be read, or is no file of settings`] };
  const counter = new LineCounter();
  const document = parseDocument(text, {
    version: "1.2",
    prettyErrors: false,
    logLevel: "error",
    lineCounter: counter,
  });
  const problems: string[] = [];
  const lineOf = (at: FilePath) => counter.linePos(findOffset(document, at)).line;
  const report: Report = (at, rule) => void problems.push(`${path}:${lineOf(at)}: ${toPlace(at)}${rule}`);
  for (const { pos, code } of document.errors) {
    problems.push(`${path}:${counter.linePos(pos[0]).line}: it is no YAML (${code})`);
  }
  const value = problems.length > 0 ? null : toValue(document);
  if (value === null && problems.length === 0) report([], "it has an alias (*), which is not taken");
  const served = value === null ? null : readServed(value, { ...places, from: dirname(path) }, report);
  return { served: problems.length > 0 ? null : served, problems };
}

function tryRead(path: string): string | null {
  try {
    const seen = statSync(path);
    return seen.isFile() && seen.size <= LIMITS.configFileSizeBytesMax ? readFileSync(path, "utf8") : null;
  } catch {
    return null;
  }
}

/** Aliases have no use here, and a few of them make a file of any size. Null: there are some. */
function toValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    return null;
  }
}

/** Where the value stands, or else what it is missing from. */
function findOffset(document: ReturnType<typeof parseDocument>, at: FilePath): number {
  for (let length = at.length; length > 0; length -= 1) {
    const node = document.getIn(at.slice(0, length), true) as { range?: readonly number[] } | undefined;
    const offset = node?.range?.[0];
    if (offset !== undefined) return offset;
  }
  return 0;
}

function toPlace(at: FilePath): string {
  const words = at.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return words.length === 0 ? "" : `${words.join("").replace(/^\./u, "")}: `;
}

type RowPlaces = RemotesFilePlaces & { readonly from: string };

function readServed(value: unknown, places: RowPlaces, report: Report): Served | null {
  const file = parseWith(fileSchema, value, report);
  for (const key of Object.keys(Object(value))) if (key !== "remotes") report([key], toUnknown(key));
  if (file === null) return null;
  const rows = file.remotes.map((row, index) =>
    readRow(row, places, (at, rule) => report(["remotes", index, ...at], rule)),
  );
  return planServed(rows, (index, at, rule) => report(["remotes", index, ...at], rule));
}

function parseWith<S extends z.ZodType>(schema: S, value: unknown, report: Report): z.output<S> | null {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    if (issue.code !== "unrecognized_keys") report(issue.path, issue.message);
    else for (const key of issue.keys) report([...issue.path, key], toUnknown(key));
  }
  return null;
}

function toUnknown(key: string): string {
  return key === "token"
    ? "a token never stands in this file; name a token-file, a token-variable or an askpass program"
    : "there is no such setting";
}

/** Null where something is wrong with it; the rules that look at all rows leave it out. */
function readRow(value: unknown, places: RowPlaces, report: Report): Row | null {
  const row = parseWith(rowSchema, value, report);
  const remote = readRemote(value, places, report);
  if (row === null) return null;
  const { name, projects, committer, people } = row;
  const direct = toDirect(row.review, row["review-direct"]);
  return { served: { name, remote, projects, direct, committer }, isMarked: people };
}

/** Looked at even where the rest of its row is wrong, so that all is told at once. */
function readRemote(row: unknown, places: RowPlaces, report: Report): RemoteSettings | null {
  const given = new Map(
    Object.entries(Object(row)).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
  const variable = given.get("token-variable");
  const token = variable === undefined ? undefined : places.readVariable(variable);
  if (variable !== undefined && token === undefined) report(["token-variable"], "the variable is not set");
  const written = Object.fromEntries(REMOTE_SETTINGS.map((setting) => [setting, given.get(setting)]));
  const { remote, problems } = readRemoteSettings({ ...written, token }, places);
  for (const { setting, rule } of problems) report([toKey(setting)], rule);
  return remote;
}

function toKey(setting: RemoteSetting): string {
  return setting === "token" ? "token-variable" : setting;
}
