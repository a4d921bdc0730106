import type { Command } from "./command.ts";
import { FOLDER_FLAGS, PUBLIC_URL_FLAG, SERVE_FLAGS } from "./config.ts";
import type { FlagRows } from "./flag-rows.ts";

/** The command table: what is parsed, and what the help says. A command's module is loaded when it is called. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** What must be named, in order. */
  readonly words: readonly string[];
  /** Where the first word says what to do: each with the words behind it. */
  readonly actions?: readonly ActionRow[];
  readonly flags: FlagRows;
  readonly neededFlags?: readonly string[];
  readonly load: () => Promise<Command>;
}

interface ActionRow {
  readonly name: string;
  readonly words: readonly string[];
  readonly summary: string;
}

const ROLE_FLAGS = {
  role: { type: "string", value: "ROLE", help: "reader, contributor, reviewer or admin; contributor unless named" },
  project: { type: "string", value: "PATTERN", multiple: true, help: "github.com/acme/*; every project unless named" },
} as const satisfies FlagRows;

const GRANT_FLAGS = {
  ...ROLE_FLAGS,
  name: { type: "string", value: "NAME", help: "who it is for" },
  email: { type: "string", value: "EMAIL", help: "their address; who has it already stays the same person" },
} as const satisfies FlagRows;

export const COMMANDS: readonly CommandRow[] = [
  {
    name: "serve",
    summary: "run the service; on a repository of its own unless a remote is named",
    words: [],
    flags: SERVE_FLAGS,
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "invite",
    summary: "make links that let one person each join, once, for a week",
    words: [],
    flags: {
      person: { type: "string", value: "ID", help: "who it is for, of those whom token list shows; else --email" },
      ...GRANT_FLAGS,
      count: { type: "string", value: "N", help: "how many links; 1 unless named" },
      ...PUBLIC_URL_FLAG,
      ...FOLDER_FLAGS,
    },
    load: async () => (await import("./commands/invite.ts")).invite,
  },
  {
    name: "token",
    summary: "make, list and take back tokens and open invites",
    words: [],
    actions: [
      { name: "create", words: [], summary: "a token for --person, or for somebody new with --name and --email" },
      { name: "list", words: [], summary: "everybody with their roles and tokens, and the open invites" },
      { name: "revoke", words: ["ID"], summary: "a token or an open invite lets nobody in any more" },
    ],
    flags: {
      person: { type: "string", value: "ID", help: "create one more for them; else for --name and --email" },
      ...GRANT_FLAGS,
      machine: { type: "string", value: "NAME", help: "where it will be used, for the list" },
      ...FOLDER_FLAGS,
    },
    load: async () => (await import("./commands/token.ts")).token,
  },
  {
    name: "people",
    summary: "who is in the team, and what each may do; a PERSON is an id or an address",
    words: [],
    actions: [
      { name: "list", words: [], summary: "everybody with their roles" },
      { name: "grant", words: ["PERSON"], summary: "give them --role, on each --project, besides what they have" },
      {
        name: "take",
        words: ["PERSON"],
        summary: "take --role from them: on each --project, or wherever they have it",
      },
      {
        name: "remove",
        words: ["PERSON"],
        summary: "take away the person, their tokens, and open invites to their address",
      },
    ],
    flags: { ...ROLE_FLAGS, ...FOLDER_FLAGS },
    load: async () => (await import("./commands/people.ts")).people,
  },
  {
    name: "base",
    summary: "what is held back of the remote's base, and to accept it",
    words: [],
    actions: [
      { name: "show", words: [], summary: "what is held, and why" },
      { name: "accept", words: ["REVISION"], summary: "go on from what is held at this revision" },
    ],
    flags: FOLDER_FLAGS,
    load: async () => (await import("./commands/base.ts")).base,
  },
  {
    name: "backup",
    summary: "write repository, people and secret into one file; the service may run meanwhile",
    words: ["FILE"],
    flags: { force: { type: "boolean", help: "replace a file that is there" }, ...FOLDER_FLAGS },
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "restore",
    summary: "make a data folder from such a file: a new one, which --data names",
    words: ["FILE"],
    flags: FOLDER_FLAGS,
    neededFlags: ["data"],
    load: async () => (await import("./commands/restore.ts")).restore,
  },
];

export const COMMON_FLAGS = {
  json: { type: "boolean", help: "one line of JSON instead of words" },
  help: { type: "boolean", short: "h", help: "this" },
} as const satisfies FlagRows;
