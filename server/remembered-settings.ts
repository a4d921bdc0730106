/**
 * What a data folder remembers of the service that it serves, so that the other commands, and the next start, need only
 * its name: which remote, where its token or key lies, and the address in links. Never a secret: a path, or the name of
 * the variable.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { isErrno, replacePrivateFile } from "./private-file.ts";
import { remoteFlagsIn, toVariable } from "./remote-flags.ts";
import type { RemoteSettings } from "./remote-settings.ts";

const text = z.string().min(1).exactOptional();

/** By the names of flags. */
const fileSchema = z.strictObject({
  format: z.literal(1),
  /** The one that people are kept on, whether flags or a file name it; null: the repository in the data folder. */
  remote: z.string().nullable(),
  "base-branch": text,
  "remote-token-variable": z.literal(toVariable("remote-token")).exactOptional(),
  "remote-token-file": text,
  "remote-askpass": text,
  "remote-ssh-key": text,
  "remote-known-hosts": text,
  "remote-folder": text,
  forge: text,
  "forge-url": text,
  "forge-token-file": text,
  "forge-reviewers": text,
  config: text,
  review: text,
  "review-direct": text,
  "secret-file": text,
  "webhook-secret-file": text,
  "public-url": text,
  /** What links said last: of a service that is stopped they say it, too. Where it listens is never remembered. */
  url: z
    .string()
    .refine((value) => URL.canParse(value), "no address")
    .exactOptional(),
});

export type Remembered = z.infer<typeof fileSchema>;
/** Settings as text, by the names of flags. */
export type Written = Readonly<Record<string, string | undefined>>;

/** Of each of these kinds what is given takes the place of all that is remembered. */
const TOKENS: readonly string[] = ["remote-token", "remote-token-file", "remote-askpass"];
const REVIEWS: readonly string[] = ["review", "review-direct"];
const WEBHOOK_SECRETS: readonly string[] = ["webhook-secret", "webhook-secret-file"];
const KINDS: readonly (readonly string[])[] = [TOKENS, REVIEWS, ["secret", "secret-file"], WEBHOOK_SECRETS];
/** Whatever the remotes are. */
const OF_THE_SERVICE: readonly string[] = ["secret-file", "webhook-secret-file", "public-url"];
const PATHS: readonly string[] = [
  ...["remote-token-file", "remote-ssh-key", "remote-known-hosts", "remote-folder"],
  ...["forge-token-file", "config", "secret-file", "webhook-secret-file"],
];

export function rememberedPathOf(dataFolder: string): string {
  return join(dataFolder, "settings.json");
}

/** Null: nothing is remembered yet. `problems` name the file, and never a value. */
export function readRemembered(dataFolder: string): {
  readonly remembered: Remembered | null;
  readonly problems: readonly string[];
} {
  const path = rememberedPathOf(dataFolder);
  try {
    const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) return { remembered: parsed.data, problems: [] };
    return {
      remembered: null,
      problems: parsed.error.issues.map((issue) => `${path}: ${[...issue.path, ""].join(": ")}${issue.message}`),
    };
  } catch (error) {
    if (isErrno(error, "ENOENT") || isErrno(error, "ENOTDIR")) return { remembered: null, problems: [] };
    const why = isErrno(error, "EACCES") || isErrno(error, "EISDIR") ? "it cannot be read" : "it is no JSON";
    return { remembered: null, problems: [`${path}: ${why}`] };
  }
}

/** What is given, and what is remembered where nothing of its kind is given: pure. */
export function planWritten(given: Written, remembered: Remembered | null): Written {
  if (remembered === null) return given;
  const {
    format: _format,
    url: _url,
    remote,
    "base-branch": base,
    "remote-token-variable": _variable,
    ...kept
  } = remembered;
  const hasFile = kept.config !== undefined;
  const isOther = given["config"] !== undefined || (hasFile && remoteFlagsIn(given).length > 0);
  const place = remote === null || hasFile ? {} : { remote, "base-branch": base };
  const offered: Written = isOther ? pick(kept, OF_THE_SERVICE) : { ...kept, ...place };
  const isReplaced = (name: string) =>
    KINDS.some((kind) => kind.includes(name) && kind.some((other) => given[other] !== undefined));
  const names = Object.keys(offered).filter((name) => !isReplaced(name));
  return { ...pick(offered, names), ...given };
}

function pick(from: Written, names: readonly string[]): Written {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
}

/**
 * What speaks against serving this remote from this data folder: people and proposals would seem gone. Null: nothing.
 * `people`: where people are kept by what is written now.
 */
export function findContradiction(
  people: RemoteSettings | null,
  remembered: Remembered | null,
  dataFolder: string,
): string | null {
  if (remembered === null) return null;
  const [now, before] = [toPlace(people), { remote: remembered.remote, base: remembered["base-branch"] ?? "main" }];
  if (now.remote === before.remote && (now.remote === null || now.base === before.base)) return null;
  const served = before.remote === null ? "a repository of its own" : `${before.remote}, base ${before.base}`;
  return `${dataFolder} serves ${served}; name another data folder with --data, or change what ${rememberedPathOf(dataFolder)} remembers`;
}

/** The token that was given by a variable, which is not set here. Null: nothing lacks. */
export function findLackingToken(written: Written, remembered: Remembered | null): string | null {
  const variable = remembered?.["remote-token-variable"];
  const needsNone = written["remote"] === undefined || TOKENS.some((name) => written[name] !== undefined);
  return variable === undefined || needsNone ? null : `${variable}: not set, and the remote was served with it`;
}

/** To be remembered, once the service has opened what it serves: pure. */
export function toRemembered(written: Written, people: RemoteSettings | null): Remembered {
  const { remote, base } = toPlace(people);
  const isOfOne = written["config"] === undefined;
  const names = Object.keys(fileSchema.shape).filter(
    (name) => !["format", "url", "remote", "base-branch"].includes(name),
  );
  const kept = pick(written, isOfOne ? names : ["config", ...OF_THE_SERVICE]);
  return fileSchema.parse({
    format: 1,
    remote,
    ...(remote !== null && { "base-branch": base }),
    ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, toLasting(name, value ?? "")])),
    ...(isOfOne && written["remote-token"] !== undefined && { "remote-token-variable": toVariable("remote-token") }),
  });
}

function toLasting(name: string, value: string): string {
  return PATHS.includes(name) ? resolve(value) : value;
}

function toPlace(people: RemoteSettings | null): { readonly remote: string | null; readonly base: string } {
  return { remote: people?.url.url ?? null, base: people?.baseRef.slice("refs/heads/".length) ?? "main" };
}

/** For its owner alone; not written again where it says the same. @throws TeamMemoryError disk, disk_full */
export async function writeRemembered(dataFolder: string, remembered: Remembered): Promise<void> {
  const before = readRemembered(dataFolder).remembered;
  if (before !== null && JSON.stringify(before) === JSON.stringify(fileSchema.parse(remembered))) return;
  await replacePrivateFile(rememberedPathOf(dataFolder), `${JSON.stringify(remembered, null, 2)}\n`);
}
