/**
 * The repository itself, for plain git: clone it, look at proposals, merge and push. It holds every project, so it asks
 * for a role on all of them.
 */
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Role } from "../../shared/protocol/schemas.ts";
import type { GitBinary } from "../git/git-binary.ts";
import { serveGitRequest } from "../git/http-backend.ts";
import { principalOf, requireRoleOnAll } from "../people/require-role.ts";
import { logOf } from "../plugins/request-log.ts";
import type { Engine } from "../sync/engine.ts";
import { planPush } from "./plan-push.ts";

export interface GitRouteOptions {
  readonly engine: Pick<Engine, "refresh">;
  readonly gitDir: string;
  /** Null: this machine has no git. */
  readonly binary: GitBinary | null;
  readonly baseRef: string;
  /** What is pushed to a mirror would not reach the remote, which people clone anyway. */
  readonly isMirror: boolean;
}

export const git: FastifyPluginAsync<GitRouteOptions> = async (app, options) => {
  const { engine, gitDir, binary, baseRef, isMirror } = options;
  app.removeAllContentTypeParsers();
  // Not read here: git's bodies are streams with a bound of their own.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.route<{ Params: { "*": string } }>({
    method: ["GET", "HEAD", "POST"],
    url: "/git/memory.git/*",
    config: { access: "git" },
    handler: async (request, reply) => {
      const role = requireRoleOnAll(request, toNeededRole(request));
      if (isMirror)
        throw new TeamMemoryError("not_found", "Could not find a repository here: clone the team's git remote");
      if (binary === null) throw new TeamMemoryError("git_required", "Could not serve git: this machine has none");
      reply.hijack();
      const served = await serveGitRequest({
        binary,
        gitDir,
        request: toGitRequest(request),
        response: reply.raw,
        remoteUser: principalOf(request).person.id,
        allowUpdate: (commands) => planPush(role, baseRef, commands),
        onUpdated: () => engine.refresh(),
      });
      if (served.failure !== null) logOf(request).warn({ err: served.failure, status: served.status }, "git failed");
    },
  });
};

/** A reader learns at the first request of a push that it will come to nothing. */
function toNeededRole({ url }: FastifyRequest): Role {
  return /[/=]git-receive-pack(?:$|[?&])/.test(url) ? "contributor" : "reader";
}

function toGitRequest(request: FastifyRequest<{ Params: { "*": string } }>) {
  const [, query = ""] = /\?(.*)$/s.exec(request.url) ?? [];
  const { method, headers, raw } = request;
  return { method, path: `/${request.params["*"]}`, query, headers, body: raw };
}
