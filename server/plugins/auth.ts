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
  interface FastifyRequest {
    principal: Principal | null;
  }
}

export const auth = fp<{ people: People }>(
  async (app, { people }) => {
    app.decorateRequest("principal", null);
    app.addHook("onRequest", async (request, reply) => {
      const access = request.is404 ? "public" : (request.routeOptions.config.access ?? "token");
      if (access === "public") return;
      request.principal = await authenticate(people, request, access);
      if (request.principal === null) throw unauthorized(reply, access);
      await app.limitByToken(request, reply);
    });
  },
  { name: "auth", fastify: "5.x", dependencies: ["limits"] },
);

async function authenticate(people: People, request: FastifyRequest, access: Access): Promise<Principal | null> {
  const header = request.headers.authorization ?? "";
  const token = access === "git" ? parseBasicPassword(header) : parseBearer(header);
  return token === null ? null : people.authenticate(token);
}

/** No token, a wrong one and a revoked one look the same. */
function unauthorized(reply: FastifyReply, access: Access): TeamMemoryError {
  reply.header("www-authenticate", access === "git" ? 'Basic realm="team-memory", charset="UTF-8"' : "Bearer");
  return new TeamMemoryError("unauthorized", "Could not tell who is asking: no token that is valid here");
}

function parseBearer(header: string): string | null {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

/** git sends what its credential helper knows: any user name, the token as password. */
function parseBasicPassword(header: string): string | null {
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1024})$/i.exec(header)?.[1];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("latin1");
  return pair.includes(":") ? pair.slice(pair.indexOf(":") + 1) : null;
}
