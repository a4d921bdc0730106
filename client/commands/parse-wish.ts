import { type ProjectName, parseProjectName } from "../../shared/project/parse-project-name.ts";
import type { CommandOptions } from "../command.ts";
import { assertSafeUrl } from "../http/assert-safe-url.ts";
import { type JoinLink, parseJoinLink } from "../install/parse-join-link.ts";
import type { GitIdentity } from "../install/read-git-identity.ts";
import type { StateChoice } from "../install/settle-state.ts";
import type { UserConfig } from "../user-config.ts";
import { toUsageError } from "./to-usage-error.ts";

/** What join was asked for on the command line. */
export interface Wish {
  readonly link: JoinLink | null;
  readonly project: ProjectName | null;
  readonly insecure: boolean;
  readonly identity: GitIdentity;
  readonly isInstalling: boolean;
  readonly choice: StateChoice;
  /** Empty: nothing was said, and what was said before stays. */
  readonly propose: Pick<UserConfig, "propose">;
}

/** @throws TeamMemoryError `usage`, `insecure_url`, and what parseJoinLink and parseProjectName throw */
export function parseWish({ positionals, values, env }: CommandOptions): Wish {
  const [link] = positionals;
  const { project, name, email, move, fresh, insecure } = values;
  if (move === true && fresh === true) throw toUsageError("join", "Only one of --move and --fresh can be meant");
  if (link === undefined && (name ?? email) !== undefined) {
    throw toUsageError("join", "--name and --email go with an invite's link, a fresh one where you have joined before");
  }
  const wish = {
    link: link === undefined ? null : parseJoinLink(link),
    project: typeof project === "string" ? parseProjectName(project) : null,
    insecure: insecure === true || env.insecure,
    identity: { ...(typeof name === "string" && { name }), ...(typeof email === "string" && { email }) },
    isInstalling: values["no-install"] !== true,
    choice: { move: move === true, fresh: fresh === true },
    propose: parsePropose(values["propose"]),
  };
  if (wish.link !== null) assertSafeUrl({ url: wish.link.service, insecure: wish.insecure }, "/");
  return wish;
}

function parsePropose(value: unknown): Wish["propose"] {
  if (value === undefined) return {};
  if (value === "ask" || value === "auto") return { propose: value };
  throw toUsageError("join", "--propose takes ask or auto");
}
