import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { ClientEnvironment } from "../config.ts";
import {
  type JoinedService,
  readUserConfig,
  rehearseUserConfig,
  type UserConfig,
  updateUserConfig,
} from "../user-config.ts";
import type { JoinLink } from "./parse-join-link.ts";
import { type GitIdentity, readGitIdentity } from "./read-git-identity.ts";
import { redeemInvite } from "./redeem-invite.ts";

export interface Finding {
  readonly env: ClientEnvironment;
  /** Null: one of the services that are known already. */
  readonly link: JoinLink | null;
  readonly insecure: boolean;
  /** The clone that is joined. */
  readonly cwd: string;
  /** As the user says; the rest is who they have joined as, else comes from git. */
  readonly identity: GitIdentity;
  readonly candidates: readonly ProjectName[];
}

export interface FoundServices {
  readonly services: readonly JoinedService[];
  /** The link was of no use any more, and its service was known already: pasting one line in each clone is fine. */
  readonly isInviteSpent: boolean;
}

/**
 * The services that may have the project: the link's own, else the one that holds it by now, else all.
 *
 * @throws TeamMemoryError `not_joined` with no link and none known; what redeemInvite throws
 */
export async function findServices(finding: Finding): Promise<FoundServices> {
  const { env, link, candidates } = finding;
  const { services, projects } = readUserConfig(env);
  if (link !== null) return await redeemOrKnown({ ...finding, link }, services);
  if (services.length === 0) throw new TeamMemoryError("not_joined", "No service is known yet, so a link is needed");
  const holding = projects.filter(({ project }) => candidates.includes(project)).map(({ service }) => service);
  const known = services.filter(({ url }) => holding.includes(url));
  return { services: known.length > 0 ? known : services, isInviteSpent: false };
}

type Redeeming = Finding & { readonly link: JoinLink };

async function redeemOrKnown(finding: Redeeming, services: readonly JoinedService[]): Promise<FoundServices> {
  try {
    return { services: [await redeemAndSave(finding)], isInviteSpent: false };
  } catch (error) {
    const known = services.filter(({ url }) => url === finding.link.service);
    if (known.length === 0 || !isTeamMemoryError(error) || error.code !== "invite_invalid") throw error;
    return { services: known, isInviteSpent: true };
  }
}

async function redeemAndSave(finding: Redeeming): Promise<JoinedService> {
  const { env, link, insecure, cwd, candidates, identity: said } = finding;
  const { services } = readUserConfig(env);
  const known = services.find(({ url }) => url === link.service);
  // Where it cannot be written down, that is known before the invite is used.
  await rehearseUserConfig(env, (config) => withService(config, toLongest(link.service)));
  const identity = { ...(known === undefined ? await readGitIdentity(env, cwd) : toIdentity(known)), ...said };
  const service = await redeemInvite({
    ...{ link, insecure, identity, candidates },
    knownToken: known?.token ?? null,
    rename: Object.keys(said).length > 0,
  });
  await updateUserConfig(env, (config) => withService(config, service));
  return service;
}

function withService(config: UserConfig, service: JoinedService): UserConfig {
  return { ...config, services: [...config.services.filter(({ url }) => url !== service.url), service] };
}

/** As much as a service can have to be written down. */
function toLongest(url: string): JoinedService {
  const text = "x".repeat(LIMITS.joinedTextLengthMax);
  return { url, token: text, personId: text, name: text, email: text, role: "contributor", insecure: false };
}

/** Whoever joins again keeps their name where they say no other. */
function toIdentity({ name, email }: JoinedService): GitIdentity {
  return { name, email };
}
