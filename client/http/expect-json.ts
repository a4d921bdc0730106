import { isErrorCode } from "../../shared/errors/codes.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { ServiceAnswer } from "./call-service.ts";

/**
 * The JSON of a successful answer, not yet checked for its shape.
 *
 * @throws TeamMemoryError with the service's own code where it answered with one; `bad_response` for what no team-memory
 * service sends: a login page, a proxy's error page, text that is no JSON
 */
export function expectJson(answer: ServiceAnswer): unknown {
  const { status } = answer;
  const type = answer.headers["content-type"] ?? "";
  if (!/^application\/json\b/i.test(type)) throw notOurs(status);
  const json = parseJson(answer);
  if (status >= 200 && status < 300) return json;
  throw toServiceError(status, json);
}

function parseJson({ status, body }: ServiceAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new TeamMemoryError("bad_response", `The service's answer is no JSON (status ${status})`, { cause: error });
  }
}

function toServiceError(status: number, json: unknown): TeamMemoryError {
  const { code, message, details } = toRecord(toRecord(json)["error"]) as Record<
    "code" | "message" | "details",
    unknown
  >;
  if (!isErrorCode(code) || typeof message !== "string") return notOurs(status);
  // How a command is used is ours to say: it is printed in lines of its own.
  const { usage: _, ...others } = toRecord(details);
  return new TeamMemoryError(code, message.slice(0, MESSAGE_LENGTH_MAX), { details: { ...others, status } });
}

const MESSAGE_LENGTH_MAX = 1_000;

function notOurs(status: number): TeamMemoryError {
  const message = `The answer does not come from a team-memory service (status ${status})`;
  return new TeamMemoryError("bad_response", message, { details: { status } });
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
