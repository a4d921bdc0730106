/**
 * Every failure leaves the service here, in one shape. What we refuse on purpose says why; what broke inside says only
 * that it broke and under which request id, because a message may carry a path, git's output or worse. The log has it.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { ErrorCode } from "../../shared/errors/codes.ts";
import { isTeamMemoryError, TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { withoutSecrets } from "../../shared/secret/without-secrets.ts";
import { isForBrowser, toErrorPage } from "./error-page.ts";
import { assertKnownMethod } from "./methods.ts";
import { logOf, toLoggedPath } from "./request-log.ts";

export const errors = fp(
  async (app) => {
    app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
    app.setNotFoundHandler((request) => {
      assertKnownMethod(request.method);
      throw new TeamMemoryError("not_found", `Could not find ${request.method} on this address`);
    });
  },
  { name: "errors", fastify: "5.x" },
);

export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toTeamMemoryError(thrown);
  logError(error, request);
  if (error.row.retryable && !reply.hasHeader("retry-after")) reply.header("retry-after", "1");
  reply.code(error.row.status);
  if (isForGit(request)) return reply.type("text/plain; charset=utf-8").send(toGitText(error, request.id));
  if (isForBrowser(request)) return reply.type("text/html; charset=utf-8").send(toHtml(error, request));
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(toBody(error, request.id)));
}

/** By the address, for some are refused before a route is known. */
function isForGit({ url }: FastifyRequest): boolean {
  return url.startsWith("/git/");
}

/** git shows a refusal's body, as lines that begin with `remote:`, where it is plain text, and nothing of it otherwise. */
function toGitText(error: TeamMemoryError, requestId: string): string {
  const { message, code } = toBody(error, requestId).error;
  return `${message} (${code})\n${toHelp(error, requestId)}\n`;
}

function toHtml(error: TeamMemoryError, request: FastifyRequest): string {
  return toErrorPage(request, toBody(error, request.id).error.message, toHelp(error, request.id));
}

function toHelp({ row }: TeamMemoryError, requestId: string): string {
  return row.status < 500 ? row.remedy : `Request id ${requestId}`;
}

/** Fastify's own refusals, in our words; an error that nobody planned is `internal`. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_BODY_TOO_LARGE: "too_large",
  FST_ERR_MAX_PARAM_LENGTH: "too_large",
};

function toTeamMemoryError(error: unknown): TeamMemoryError {
  if (isTeamMemoryError(error)) return error;
  const { code = "", statusCode = 500, validation } = (error ?? {}) as Partial<FastifyError>;
  if (validation !== undefined) return invalidRequest(error as FastifyError);
  const known = FASTIFY_CODES[code];
  if (known !== undefined)
    return new TeamMemoryError(known, "Could not read the request: its body or address", { cause: error });
  if (statusCode >= 400 && statusCode < 500)
    return new TeamMemoryError("bad_request", "Could not read the request", { cause: error });
  return new TeamMemoryError("internal", "Could not answer the request", { cause: error });
}

/** Names where and which rule, never the value: it may be memory text. */
function invalidRequest(error: FastifyError): TeamMemoryError {
  const problems = (error.validation ?? []).map(({ instancePath, message }) => ({
    field: `${error.validationContext ?? "request"}${instancePath}`,
    problem: message ?? "invalid",
  }));
  const fields = problems.map(({ field }) => field).join(", ");
  return new TeamMemoryError("bad_request", `Could not read the request: ${fields.slice(0, 500)}`, {
    details: { problems: problems.slice(0, 20) },
    cause: error,
  });
}

function logError(error: TeamMemoryError, request: FastifyRequest): void {
  const facts = { code: error.code, method: request.method, path: toLoggedPath(request.url) };
  const message = withoutSecrets(error.message);
  if (error.row.status >= 500) logOf(request).error({ ...facts, err: error }, message);
  else logOf(request).info(facts, message);
}

export function toBody(error: TeamMemoryError, requestId: string) {
  const { code, details, row, message } = error;
  if (row.status < 500) return { error: { code, message: withoutSecrets(message), details: toShown(details) } };
  return { error: { code, message: `The service could not answer. ${row.remedy}`, details: { requestId } } };
}

/** Words of the address come back in these; keys in lists stay as they were sent, for the client drops them by name. */
function toShown(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === "string" ? withoutSecrets(value) : value,
  ]);
  return Object.fromEntries(shown);
}
