import rateLimit from "@fastify/rate-limit";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { assertRawRequest } from "./assert-raw-request.ts";

export interface RateLimits {
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerAddress: number;
}

type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

declare module "fastify" {
  interface FastifyInstance {
    /** Throws rate_limited, with Retry-After, once this token has asked too often. */
    limitByToken: Limiter;
    /** The same for joins by address: an invite code must not be guessed. */
    limitJoins: Limiter;
  }
}

/**
 * Raw checks first, then the address: a wrong token costs its sender as much as a right one. The token's own share is
 * counted by the auth plugin, which knows it.
 */
export const limits = fp<RateLimits>(
  async (app, rates) => {
    await app.register(rateLimit, { global: false });
    const limiter = (max: number, keyOf?: (request: FastifyRequest) => string): Limiter => {
      // Each limiter keeps its own counts, bounded by `cache`, which the plugin takes though its types do not name it.
      const bounds = { max, timeWindow: 60_000, cache: LIMITS.rateLimitKeysMax };
      const look = app.createRateLimit(keyOf === undefined ? bounds : { ...bounds, keyGenerator: keyOf });
      return async (request, reply) => {
        const seen = await look(request);
        if (seen.isAllowed || !seen.isExceeded) return;
        reply.header("retry-after", String(Math.max(1, seen.ttlInSeconds)));
        throw new TeamMemoryError("rate_limited", `Could not answer: over ${max} requests a minute`);
      };
    };
    app.decorate(
      "limitByToken",
      limiter(rates.requestsPerMinutePerToken, (request) => request.principal?.tokenId ?? ""),
    );
    app.decorate("limitJoins", limiter(LIMITS.joinsPerMinutePerAddress));
    app.addHook("onRequest", (request, _reply, done) => {
      assertRawRequest(request.raw);
      done();
    });
    app.addHook("onRequest", limiter(rates.requestsPerMinutePerAddress));
  },
  { name: "limits", fastify: "5.x" },
);
