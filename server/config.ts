/**
 * The only reader of the environment in server/. Two types: what people write (flags and TEAM_MEMORY_* variables, all
 * text, a flag winning over its variable) and what the program uses (parsed, complete). Every problem is reported at
 * once, so that a broken deployment is mended in one go.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import { LIMITS } from "../shared/limits.ts";
import type { FlagRows } from "./flag-rows.ts";
import {
  REMOTE_FLAGS,
  type RemoteSettings,
  readRemoteSettings,
  redactRemote,
  type WrittenRemote,
} from "./remote-settings.ts";

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
  readonly logLevel: LogLevel;
  /** Keys the hashes of tokens and invites; null: generated once into the data folder. */
  readonly secret: string | null;
  /** Addresses whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerAddress: number;
  /** Path of the git program; null: the one on the PATH. */
  readonly gitPath: string | null;
  /** Null: a repository of its own in the data folder. */
  readonly remote: RemoteSettings | null;
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
  ...REMOTE_FLAGS,
} as const satisfies FlagRows;
export const PUBLIC_URL_FLAG = {
  "public-url": { type: "string", value: "URL", help: "the address in links; the one that it listens on" },
} as const satisfies FlagRows;
export const SERVE_FLAGS = {
  ...FOLDER_FLAGS,
  ...PUBLIC_URL_FLAG,
  host: { type: "string", value: "HOST", help: "where to listen; 127.0.0.1, this machine alone" },
  port: { type: "string", value: "PORT", help: "7357; 0 is any free one" },
  "trusted-proxies": { type: "string", value: "LIST", help: "addresses whose X-Forwarded-For is believed" },
  "requests-per-minute-per-token": { type: "string", value: "N", help: "more are told to wait" },
  "requests-per-minute-per-address": { type: "string", value: "N", help: "more are told to wait" },
} as const satisfies FlagRows;

const DATA_FOLDER = "./.team-memory";
const logLevel = z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]);
const wholeNumber = (name: string, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} is a whole number`)
    .transform(Number)
    .refine((value) => value <= max, `${name} is at most ${max}`);
const requestRate = wholeNumber("a rate", 100_000_000).refine((value) => value > 0, "a rate is at least 1");
const addressList = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) => parts.every((part) => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(part)),
    "addresses, separated by commas",
  );
const secretText = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text.length >= 32, "a secret has at least 32 characters");

const settings = z.object({
  data: z.string().default(DATA_FOLDER),
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "a host name or an address")
    .default("127.0.0.1"),
  port: wholeNumber("a port", 65_535).default(7357),
  "public-url": z.string().transform(toPublicUrl).exactOptional(),
  "log-level": logLevel.default("info"),
  secret: secretText.exactOptional(),
  "secret-file": z.string().transform(readSecretFile).pipe(secretText).exactOptional(),
  git: z.string().exactOptional(),
  remote: z.string().exactOptional(),
  "remote-token": z.string().exactOptional(),
  "remote-token-file": z.string().exactOptional(),
  "remote-askpass": z.string().exactOptional(),
  "remote-ssh-key": z.string().exactOptional(),
  "remote-known-hosts": z.string().exactOptional(),
  "remote-folder": z.string().exactOptional(),
  "base-branch": z.string().exactOptional(),
  "trusted-proxies": addressList.default([]),
  "requests-per-minute-per-token": requestRate.default(LIMITS.requestsPerMinutePerToken),
  "requests-per-minute-per-address": requestRate.default(LIMITS.requestsPerMinutePerAddress),
});
type SettingName = keyof z.infer<typeof settings>;

/** @throws TeamMemoryError config_invalid with `details.problems`, one line each */
export function readConfig(flags: WrittenFlags = {}, environment: Environment = process.env): Config {
  const written = mergeWritten(flags, environment);
  const parsed = settings.safeParse(written);
  const problems = parsed.success ? [] : parsed.error.issues.map(toProblem);
  if (written["secret"] !== undefined && written["secret-file"] !== undefined)
    problems.push("TEAM_MEMORY_SECRET and --secret-file: give one of the two");
  const { remote, problems: remoteProblems } = readRemote(written);
  problems.push(...remoteProblems);
  if (!parsed.success || problems.length > 0) throw invalid(problems);
  return { ...toConfig(parsed.data), remote };
}

function readRemote(written: Readonly<Record<string, unknown>>): ReturnType<typeof readRemoteSettings> {
  const names = ["remote-token", ...Object.keys(REMOTE_FLAGS)];
  const pairs = Object.entries(written).filter(([name, value]) => names.includes(name) && typeof value === "string");
  return readRemoteSettings(
    Object.fromEntries(pairs) as WrittenRemote,
    resolve(String(written["data"] ?? DATA_FOLDER)),
  );
}

function invalid(problems: readonly string[]): TeamMemoryError {
  return new TeamMemoryError("config_invalid", `Could not use the settings: ${problems.join("; ")}`, {
    details: { problems },
  });
}

/** What is never a flag: `ps` shows flags. */
const FROM_ENVIRONMENT: readonly string[] = ["secret", "remote-token"];

/** An empty variable counts as unset: compose files write them so. */
function mergeWritten(flags: WrittenFlags, environment: Environment): Record<string, unknown> {
  const names = Object.keys(settings.shape) as SettingName[];
  const pairs = names.map((name) => [
    name,
    (FROM_ENVIRONMENT.includes(name) ? undefined : flags[name]) ?? environment[variableOf(name)],
  ]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && value !== ""));
}

function variableOf(name: SettingName): string {
  return `TEAM_MEMORY_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** Names the setting and the rule, never the value: it may be a secret. */
function toProblem(issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0]) as SettingName;
  const flag = FROM_ENVIRONMENT.includes(name) ? "" : `--${name} `;
  return `${flag}(${variableOf(name)}): ${issue.message}`;
}

function toConfig(parsed: z.infer<typeof settings>): Omit<Config, "remote"> {
  return {
    dataFolder: resolve(parsed.data),
    host: parsed.host,
    port: parsed.port,
    publicUrl: parsed["public-url"] ?? null,
    logLevel: parsed["log-level"],
    secret: parsed.secret ?? parsed["secret-file"] ?? null,
    trustedProxies: parsed["trusted-proxies"],
    requestsPerMinutePerToken: parsed["requests-per-minute-per-token"],
    requestsPerMinutePerAddress: parsed["requests-per-minute-per-address"],
    gitPath: parsed.git ?? null,
  };
}

/** For the log, once at start. */
export function redactConfig(config: Config): Record<string, unknown> {
  const { secret, remote, ...rest } = config;
  return {
    ...rest,
    secretFrom: secret === null ? "the data folder" : "the settings",
    remote: remote === null ? null : redactRemote(remote),
  };
}

/** The address is printed into links that teammates paste: it holds no credentials, query or fragment. */
function toPublicUrl(text: string, context: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const plain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (plain && url.search === "" && url.hash === "") return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  context.addIssue("an http or https address without credentials, query or fragment");
  return z.NEVER;
}

function readSecretFile(path: string, context: z.RefinementCtx): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    context.addIssue(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
    return z.NEVER;
  }
}
