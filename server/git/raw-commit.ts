/** Commit objects as bytes: written exactly (names, UTC, message), read leniently, for humans push what they like. */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Commit, GitId, Identity } from "./port.ts";

interface NewCommit {
  readonly tree: GitId;
  readonly parents: readonly GitId[];
  readonly author: Identity;
  readonly committer: Identity;
  readonly at: Date;
  readonly message: string;
}

/** The object's bytes; names, addresses and message are cleaned as git cleans them. */
export function toRawCommit(commit: NewCommit): Buffer {
  const when = `${Math.max(0, Math.floor(commit.at.getTime() / 1000))} +0000`;
  const head = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${toIdentityLine(commit.author)} ${when}`,
    `committer ${toIdentityLine(commit.committer)} ${when}`,
  ];
  return Buffer.from(`${head.join("\n")}\n\n${cleanMessage(commit.message)}`);
}

function toIdentityLine(identity: Identity): string {
  const email = cleanIdentity(identity.email);
  return `${cleanIdentity(identity.name) || email || "unknown"} <${email}>`;
}

/** A newline or an angle bracket in a name would start a header of its own; git also drops crud at both ends. */
function cleanIdentity(text: string): string {
  return text.replace(/[\p{Cc}<>]/gu, "").replace(/^[\s.,:;"\\']+|[\s.,:;"\\']+$/gu, "");
}

/** LF only, no control characters but tab, no trailing blanks, single empty lines, one final newline. */
function cleanMessage(message: string): string {
  const lines = message
    .replace(/\r\n?/gu, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .split("\n")
    .map((line) => line.trimEnd());
  const text = lines.join("\n").replace(/^\n+|\n+$/gu, "");
  return `${text.replace(/\n{3,}/gu, "\n\n")}\n`;
}

/** Throws `repository_damaged` for bytes without a tree; anything else that is odd is read as well as it can be. */
export function parseRawCommit(id: GitId, bytes: Buffer): Commit {
  const end = bytes.indexOf("\n\n");
  const head = (end === -1 ? bytes : bytes.subarray(0, end)).toString("utf8").split("\n");
  const all = (name: string) =>
    head.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const tree = all("tree")[0];
  if (tree === undefined || !/^[0-9a-f]{40}$/u.test(tree)) {
    throw new TeamMemoryError("repository_damaged", `could not read commit ${id}: it names no tree`);
  }
  return {
    id,
    tree,
    parents: all("parent"),
    author: parseSignature(all("author")[0] ?? ""),
    committer: parseSignature(all("committer")[0] ?? ""),
    message: decodeText(end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 2), all("encoding")[0]),
  };
}

function parseSignature(line: string): Commit["author"] {
  const match = /^(?<name>.*?) ?<(?<email>[^>]*)> (?<seconds>-?\d+)(?: |$)/u.exec(line);
  if (match?.groups === undefined) return { name: line, email: "", at: new Date(0) };
  const { name = "", email = "", seconds } = match.groups;
  return { name, email, at: toDate(Number(seconds)) };
}

/** A time past what a Date can hold is no time. */
function toDate(seconds: number): Date {
  const at = new Date(seconds * 1000);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

function decodeText(bytes: Buffer, encoding = "utf-8"): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}
