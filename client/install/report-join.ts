import type { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import { toPullLines } from "../commands/say-pull.ts";
import type { ClientEnvironment } from "../config.ts";
import { countOf } from "../count-of.ts";
import type { Io } from "../io.ts";
import type { Located } from "../memory/locate.ts";
import type { PullReport } from "../sync/pull/report.ts";
import { findHookBlock } from "./find-hook-block.ts";
import type { VisibleProject } from "./find-visible-project.ts";
import type { Forgotten } from "./forget-place.ts";
import type { HookEntries } from "./hook-entries.ts";
import type { HooksInstalled } from "./install-hooks.ts";
import type { GitIdentity } from "./read-git-identity.ts";

/** Everything that join did, for the person to see and for the way back. */
export interface JoinReport {
  readonly env: ClientEnvironment;
  readonly located: Located;
  readonly joined: VisibleProject;
  /** The link's invite was used up, and the token from before serves. */
  readonly isInviteSpent: boolean;
  /** As the user said it. */
  readonly identity: GitIdentity;
  /** Copies that were taken away first. */
  readonly cleared: Forgotten | null;
  /** Where the client was installed. */
  readonly client: string;
  /** Null: the entries are for the user to place. */
  readonly hooks: HooksInstalled | null;
  readonly entries: HookEntries;
  readonly pulled: FirstPull;
}

/** Neither report nor error: memory is off. */
export interface FirstPull {
  readonly exit: number;
  readonly report: PullReport | null;
  readonly error: TeamMemoryError | null;
}

export function reportJoin(io: Io, report: JoinReport): void {
  io.result(toJson(report), toLines(report));
}

function toJson({ located, joined, isInviteSpent, cleared, client, hooks, entries, pulled }: JoinReport): unknown {
  const { project, service } = joined;
  const { personId: id, name, email, role, url } = service;
  return {
    project,
    service: url,
    person: { id, name, email },
    role,
    isInviteSpent,
    memoryDir: located.memoryDir,
    memory: located.memory,
    cleared,
    client,
    hooks: hooks ?? { settingsFile: null, entries },
    pull: pulled.report,
    error: pulled.error === null ? null : { code: pulled.error.code, message: pulled.error.message },
  };
}

function toLines(report: JoinReport): readonly string[] {
  const { env, located, joined, cleared, client, pulled } = report;
  const { project, service } = joined;
  const block = findHookBlock(env);
  return [
    `Joined ${project} at ${service.url} as ${service.name} <${service.email}>, ${service.role}`,
    ...describeInvite(report),
    ...(cleared === null ? [] : [toClearedLine(cleared)]),
    `The team's memories lie in ${located.teamDir}`,
    ...describeHooks(report),
    ...(block === null ? [] : [`The host will not run the hooks: ${block}`]),
    ...(located.memory.on ? [] : [`Nothing is pulled while memory is off: ${located.memory.why}`]),
    ...(pulled.report === null ? [] : toPullLines(pulled.report)),
    ...(pulled.error === null ? [] : [`The first pull failed, the next will try again: ${pulled.error.message}`]),
    ...(located.memory.on ? [toNext(service.role)] : []),
    `To have the command team-memory at hand: npm i -g ${service.url}/client.tgz`,
    `To undo all of this: node "${client}" leave`,
  ];
}

function toNext(role: Role): string {
  const first = "Next: work as ever. Each session starts with what the team knows";
  if (role === "reader") return `${first}; what is here: team-memory status`;
  return `${first}, and what is written into that folder goes to the team for review; what is here: team-memory status`;
}

function describeInvite({ isInviteSpent, identity, joined }: JoinReport): readonly string[] {
  if (!isInviteSpent) return [];
  const { name, email } = joined.service;
  const isChange = (identity.name ?? name) !== name || (identity.email ?? email) !== email;
  return [
    "The invite was used before; the token that it gave serves here too",
    ...(isChange ? [`You are still ${name} <${email}> to the team: another name needs a fresh invite`] : []),
  ];
}

function toClearedLine({ kept }: Forgotten): string {
  const stay = kept.length === 0 ? "" : `; ${countOf(kept.length, "file")} kept, for the text may stand nowhere else`;
  return `The copies that were here are gone, to be pulled anew${stay}`;
}

function describeHooks({ hooks, entries }: JoinReport): readonly string[] {
  if (hooks === null) {
    const whole = JSON.stringify({ hooks: entries }, null, 2);
    return ["Put this into the host's settings:", ...whole.split("\n")];
  }
  const { settingsFile, isChanged, backup } = hooks;
  const copy = backup === null ? "" : ` (as it was: ${backup})`;
  return [isChanged ? `The hooks are in ${settingsFile}${copy}` : `The hooks were in ${settingsFile} already`];
}
