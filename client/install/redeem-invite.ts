import { hostname } from "node:os";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { JoinRequest } from "../../shared/protocol/schemas.ts";
import { callService } from "../http/call-service.ts";
import { expectJson } from "../http/expect-json.ts";
import { asObject, asText } from "../sync/json-shape.ts";
import { asRole, type JoinedService } from "../user-config.ts";
import type { JoinLink } from "./parse-join-link.ts";
import type { GitIdentity } from "./read-git-identity.ts";

export interface Redeeming {
  readonly link: JoinLink;
  readonly insecure: boolean;
  /** Of the same service, from an earlier invite: whoever joins again stays who they are, and their proposals theirs. */
  readonly knownToken: string | null;
  /** What the invite itself does not say about the person. */
  readonly identity: GitIdentity;
  /** The user says who they are: the service takes it for who is known there already, too. */
  readonly rename: boolean;
  /** What the clone could be about: an invite for none of these stays unused. */
  readonly candidates: readonly ProjectName[];
}

/**
 * An invite for a token. It works once: where it was sent and the answer is lost on its way, the invite may be used up all
 * the same, and the error says so.
 *
 * @throws TeamMemoryError `invite_invalid`, `invite_elsewhere`, `identity_taken`, `bad_request` (details.field), what callService throws
 */
export async function redeemInvite(redeeming: Redeeming): Promise<JoinedService> {
  const { link, insecure, knownToken, identity, rename, candidates } = redeeming;
  const service = { url: link.service, token: knownToken, insecure };
  const body: JoinRequest = {
    code: link.code,
    ...identity,
    rename,
    machine: hostname().slice(0, LIMITS.nameLengthMax),
    projects: candidates.slice(0, LIMITS.joinProjectsMax),
  };
  try {
    const answer = await callService({ service, method: "POST", path: "/v1/join", body });
    return { url: link.service, insecure, ...parseJoined(expectJson(answer)) };
  } catch (error) {
    throw isTeamMemoryError(error) ? explain(error) : error;
  }
}

function parseJoined(json: unknown): Omit<JoinedService, "url" | "insecure"> {
  try {
    const { token, person, role } = asObject(json);
    const { id, name, email } = asObject(person);
    const text = (value: unknown) => asText(value, LIMITS.joinedTextLengthMax);
    return { token: text(token), personId: text(id), name: text(name), email: text(email), role: asRole(role) };
  } catch (cause) {
    throw new TeamMemoryError("bad_response", "The service's answer to an invite is none that we know", { cause });
  }
}

const USED_UP = "an earlier try that ended without an answer has used it up";
const MAYBE_USED_UP = "the invite may be used up now: if the next try says so, ask for another";

function explain(error: TeamMemoryError): TeamMemoryError {
  const hint = HINTS[error.code];
  if (hint === undefined || error.details["isSent"] === false) return error;
  return new TeamMemoryError(error.code, `${error.message}; ${hint}`, { details: error.details, cause: error });
}

const HINTS: Partial<Record<TeamMemoryError["code"], string>> = {
  invite_invalid: `perhaps ${USED_UP}`,
  timeout: MAYBE_USED_UP,
  unreachable: MAYBE_USED_UP,
  bad_response: MAYBE_USED_UP,
};
