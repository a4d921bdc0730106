import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import type { Principal } from "../people/directory.ts";
import type { People } from "../people/open-people.ts";

/** Who may call a route: anyone; a Bearer token (the default, so that forgetting it locks); git with any user name. */
type Access = "public" | "token" | "git";

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyInstance {
    /** Who asks, looked at once more: for a request that has waited. @throws TeamMemoryError unauthorized */
    readmit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  }
  interface FastifyRequest {
    principal: Principal | null;
  }
}

export const auth = fp<{ people: People }>(
  async (app, { people }) => {
    app.decorateRequest("principal", null);
    app.decorate("readmit", async (request, reply) => {
      const access = accessOf(request);
      const token = parseToken(request.headers.authorization ?? "", access);
      const principal = token === null ? null : (people.recall(token) ?? (await people.authenticate(token)));
      if (principal === null) throw unauthorized(reply, access);
      request.principal = principal;
    });
    // By callback: a caller who is remembered goes on without a promise, and nearly every request is such a one's.
    app.addHook("onRequest", (request, reply, done) => {
      const access = accessOf(request);
      if (access === "public") return done();
      const admit = (principal: Principal | null): void => {
        if (principal === null) throw unauthorized(reply, access);
        request.principal = principal;
        app.limitToken(principal.tokenId, reply);
      };
      const token = parseToken(request.headers.authorization ?? "", access);
      const remembered = token === null ? null : people.recall(token);
      if (token !== null && remembered === null) {
        people
          .authenticate(token)
          .then(admit)
          .then(() => done(), done);
        return;
      }
      admit(remembered);
      done();
    });
  },
  { name: "auth", fastify: "5.x", dependencies: ["limits"] },
);

/** An address that no route has tells a stranger nothing, so it need not ask who they are. */
function accessOf(request: FastifyRequest): Access {
  return request.is404 ? "public" : (request.routeOptions.config.access ?? "token");
}

function parseToken(header: string, access: Access): string | null {
  return access === "git" ? parseBasicPassword(header) : parseBearer(header);
}

/** The token of an Authorization header; null: it has none. */
export function parseBearer(header: string): string | null {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

/** git sends what its credential helper knows: any user name, the token as the password. */
function parseBasicPassword(header: string): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header)?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  return pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : null;
}

/** No token, a wrong one and a revoked one look the same. */
function unauthorized(reply: FastifyReply, access: Access): TeamMemoryError {
  reply.header("www-authenticate", access === "git" ? 'Basic realm="team-memory", charset="UTF-8"' : "Bearer");
  return new TeamMemoryError("unauthorized", "Could not tell who is asking: no token that is valid here");
}
