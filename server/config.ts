/**
 * The only reader of the environment in server/. Two types: what people write (flags and TEAM_MEMORY_* variables, all
 * text, a flag winning over its variable) and what the program uses (parsed, complete). Every problem is reported at
 * once, so that a broken deployment is mended in one go.
 */
import { resolve } from "node:path";
import type { z } from "zod";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { ProjectPattern } from "../shared/project/match-project.ts";
import type { FlagRows } from "./flag-rows.ts";
import {
  findContradiction,
  findLackingToken,
  planWritten,
  type Remembered,
  readRemembered,
  toRemembered,
  type Written,
} from "./remembered-settings.ts";
import { REMOTE_FLAGS, readRemoteFlags, remoteFlagsIn, toVariable } from "./remote-flags.ts";
import { redactRemote } from "./remote-settings.ts";
import { readRemotesFile } from "./remotes-file.ts";
import { type Served, type ServedRemote, serveAlone, toDirect } from "./served-remotes.ts";
import { DATA_FOLDER, type logLevel, settings } from "./settings-schema.ts";

export type LogLevel = z.infer<typeof logLevel>;

/** As used. */
export interface Config {
  /** Absolute. */
  readonly dataFolder: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What links say, without a final slash; null: the address that the service listens on. */
  readonly publicUrl: string | null;
  /** What they said when it was served last; null: never, or not from this folder. */
  readonly lastUrl: string | null;
  readonly logLevel: LogLevel;
  /** Keys the hashes of tokens and invites; null: generated once into the data folder. */
  readonly secret: string | null;
  /** What webhooks are signed with; none: they are not taken. */
  readonly webhookSecrets: readonly string[];
  /** Addresses whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerAddress: number;
  /** Path of the git program; null: the one on the PATH. */
  readonly gitPath: string | null;
  /** In the order in which they are asked whether a project is theirs. */
  readonly remotes: readonly ServedRemote[];
  /** The one of them that people are kept on. */
  readonly people: ServedRemote;
  /** For the next call on this data folder, once what is served has been opened. */
  readonly toRemember: Remembered;
}

/** As written: the values of parseArgs, by flag. */
export type WrittenFlags = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that every command takes, and those that only `serve` takes. */
export const FOLDER_FLAGS = {
  data: { type: "string", value: "DIR", help: "where everything is kept; ./.team-memory unless named" },
  "secret-file": { type: "string", value: "FILE", help: "the key of all hashes; made once in the data folder" },
  git: { type: "string", value: "PROGRAM", help: "the git to use; the one on the PATH" },
  "log-level": { type: "string", value: "LEVEL", help: "trace, debug, info, warn, error, fatal or silent" },
  config: { type: "string", value: "FILE", help: "several remotes: a file of YAML or JSON, in place of --remote" },
  ...REMOTE_FLAGS,
} as const satisfies FlagRows;
export const PUBLIC_URL_FLAG = {
  "public-url": { type: "string", value: "URL", help: "the address in links; the one that it listens on" },
} as const satisfies FlagRows;
export const SERVE_FLAGS = {
  ...FOLDER_FLAGS,
  ...PUBLIC_URL_FLAG,
  review: { type: "string", value: "POLICY", help: "required, or direct: additions and edits go straight to the base" },
  "review-direct": { type: "string", value: "LIST", help: "patterns of projects of which alone that is so" },
  "webhook-secret-file": {
    type: "string",
    value: "FILE",
    help: "what forges sign their webhooks with, one secret a line; none: no webhooks",
  },
  host: { type: "string", value: "HOST", help: "where to listen; 127.0.0.1, this machine alone" },
  port: { type: "string", value: "PORT", help: "7357; 0 is any free one" },
  "trusted-proxies": { type: "string", value: "LIST", help: "addresses whose X-Forwarded-For is believed" },
  "requests-per-minute-per-token": { type: "string", value: "N", help: "more are told to wait" },
  "requests-per-minute-per-address": { type: "string", value: "N", help: "more are told to wait" },
} as const satisfies FlagRows;

/** @throws TeamMemoryError config_invalid with `details.problems`, one line each */
export function readConfig(flags: WrittenFlags = {}, environment: Environment = process.env): Config {
  const given = mergeWritten(flags, environment);
  const dataFolder = resolve(given["data"] ?? DATA_FOLDER);
  const { remembered, problems } = readRemembered(dataFolder);
  const written = planWritten(given, remembered);
  const parsed = settings.safeParse(written);
  const direct = parsed.success ? toDirect(parsed.data.review, parsed.data["review-direct"]) : [];
  const { served, problems: servedProblems } = readServed(written, { dataFolder, environment, direct });
  const all = [
    ...problems,
    ...(parsed.success ? [] : parsed.error.issues.map(toProblem)),
    ...["secret", "webhook-secret"]
      .filter((name) => written[name] !== undefined && written[`${name}-file`] !== undefined)
      .map((name) => `${toVariable(name)} and --${name}-file: give one of the two`),
    ...servedProblems,
    ...(served === null || servedProblems.length > 0
      ? []
      : findContradictions({ written, served, remembered, dataFolder })),
  ];
  if (!parsed.success || served === null || all.length > 0) throw invalid(all);
  const toRemember = toRemembered(written, served.people.remote);
  return { ...toConfig(parsed.data), ...served, lastUrl: remembered?.url ?? null, toRemember };
}

interface ServedPlaces {
  readonly dataFolder: string;
  readonly environment: Environment;
  /** Where one remote alone is served. */
  readonly direct: readonly ProjectPattern[];
}

function readServed(
  written: Written,
  { dataFolder, environment, direct }: ServedPlaces,
): { readonly served: Served | null; readonly problems: readonly string[] } {
  const { config: path } = written;
  if (path === undefined) {
    const { remote, problems } = readRemoteFlags(written, dataFolder);
    return { served: serveAlone(remote, direct), problems };
  }
  const others = [
    ...remoteFlagsIn(written),
    ...["review", "review-direct"].filter((name) => written[name] !== undefined),
  ];
  const alone = others.map(
    (name) => `--${name} (${toVariable(name)}): stands in the file of --config where one is given`,
  );
  const { served, problems } = readRemotesFile(resolve(path), {
    dataFolder,
    readVariable: (name) => environment[name] || undefined,
  });
  return { served, problems: [...alone, ...problems] };
}

interface Said {
  readonly written: Written;
  readonly served: Served;
  readonly remembered: Remembered | null;
  readonly dataFolder: string;
}

function findContradictions({ written, served, remembered, dataFolder }: Said): readonly string[] {
  const source = written["config"] === undefined ? "--remote (TEAM_MEMORY_REMOTE)" : "--config (TEAM_MEMORY_CONFIG)";
  const contradiction = findContradiction(served.people.remote, remembered, dataFolder);
  if (contradiction !== null) return [`${source}: ${contradiction}`];
  const lacking = findLackingToken(written, remembered);
  return lacking === null ? [] : [lacking];
}

function invalid(problems: readonly string[]): TeamMemoryError {
  return new TeamMemoryError("config_invalid", `Could not use the settings: ${problems.join("; ")}`, {
    details: { problems },
  });
}

/** What is never a flag: `ps` shows flags. */
const FROM_ENVIRONMENT: readonly string[] = ["secret", "webhook-secret", "remote-token"];
const NAMES = [...Object.keys(settings.shape), "config", "remote-token", ...Object.keys(REMOTE_FLAGS)];

/** An empty variable counts as unset: compose files write them so. */
function mergeWritten(flags: WrittenFlags, environment: Environment): Written {
  const pairs = NAMES.map((name) => {
    const flag = FROM_ENVIRONMENT.includes(name) ? undefined : flags[name];
    return [name, flag ?? environment[toVariable(name)]] as const;
  });
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (typeof value === "string" && value !== "" ? [[name, value]] : [])),
  );
}

/** Names the setting and the rule, never the value: it may be a secret. */
function toProblem(issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0]);
  const flag = FROM_ENVIRONMENT.includes(name) ? "" : `--${name} `;
  return `${flag}(${toVariable(name)}): ${issue.message}`;
}

function toConfig(parsed: z.infer<typeof settings>): Omit<Config, keyof Served | "lastUrl" | "toRemember"> {
  return {
    dataFolder: resolve(parsed.data),
    host: parsed.host,
    port: parsed.port,
    publicUrl: parsed["public-url"] ?? null,
    logLevel: parsed["log-level"],
    secret: parsed.secret ?? parsed["secret-file"] ?? null,
    webhookSecrets: parsed["webhook-secret"] ?? parsed["webhook-secret-file"] ?? [],
    trustedProxies: parsed["trusted-proxies"],
    requestsPerMinutePerToken: parsed["requests-per-minute-per-token"],
    requestsPerMinutePerAddress: parsed["requests-per-minute-per-address"],
    gitPath: parsed.git ?? null,
  };
}

/** For the log, once at start. */
export function redactConfig(config: Config): Record<string, unknown> {
  const { secret, webhookSecrets, remotes, people, toRemember: _toRemember, ...rest } = config;
  return {
    ...rest,
    secretFrom: secret === null ? "the data folder" : "the settings",
    webhookSecrets: webhookSecrets.length,
    remotes: remotes.map(redactServed),
    peopleOn: people.name,
  };
}

function redactServed({ name, remote, projects, direct }: ServedRemote): Record<string, unknown> {
  return { name, projects, direct, remote: remote === null ? null : redactRemote(remote) };
}
