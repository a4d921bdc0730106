import type { onRequestHookHandler } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { joinRequest, joinResponse } from "../../shared/protocol/schemas.ts";
import { PROTOCOL_VERSION } from "../../shared/protocol/version.ts";
import { CREDENTIAL_LENGTH_MAX } from "../people/credentials.ts";
import type { People } from "../people/open-people.ts";
import { parseBearer } from "../plugins/auth.ts";
import { addressOf } from "../plugins/limits.ts";
import { logOf } from "../plugins/request-log.ts";
import { failures } from "./failures.ts";
import { TAGS } from "./project-params.ts";

interface JoinOptions {
  readonly people: People;
  readonly publicUrl: string;
  readonly version: string;
}

/**
 * An invite code for a token, which is shown here once and never again. Who has a token and sends it along stays the
 * person that they are and keeps the token.
 */
export const join: FastifyPluginAsyncZod<JoinOptions> = async (app, { people, publicUrl, version }) => {
  const schema = {
    tags: TAGS.people,
    security: [{}, { token: [] }],
    body: joinRequest,
    response: {
      200: joinResponse,
      ...failures(
        "invite_invalid",
        "invite_elsewhere",
        "identity_taken",
        "secret_found",
        "unsupported_media_type",
        "too_large",
        "lost_race",
      ),
    },
  };
  const limitByAddress: onRequestHookHandler = (request, reply, done) => {
    app.limitJoins(addressOf(request), reply);
    done();
  };
  app.post("/join", { schema, config: { access: "public" }, onRequest: limitByAddress }, async (request) => {
    const { token, person, grant, role } = await people.redeem(
      request.body,
      parseCallerToken(request.headers.authorization),
    );
    logOf(request).info({ person: person.id, role: grant.role, projects: grant.projects }, "joined");
    return {
      token,
      person: { id: person.id, name: person.name, email: person.email },
      role,
      projects: grant.projects,
      server: { url: publicUrl, version, protocol: PROTOCOL_VERSION },
    };
  });
};

/** A longer one was never issued: nothing is computed from it. */
function parseCallerToken(header = ""): string | null {
  const token = parseBearer(header);
  return token === null || token.length > CREDENTIAL_LENGTH_MAX ? null : token;
}
