import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { LIMITS } from "../../shared/limits.ts";
import { assertRawRequest } from "./assert-raw-request.ts";
import { openRateWindow, rateLimited } from "./rate-window.ts";

export interface RateLimits {
  readonly requestsPerMinutePerToken: number;
  readonly requestsPerMinutePerAddress: number;
}

/** Throws rate_limited, with Retry-After, once the key has asked too often. */
type Limiter = (key: string, reply: FastifyReply) => void;

declare module "fastify" {
  interface FastifyInstance {
    limitToken: Limiter;
    /** By address: an invite code must not be guessed. */
    limitJoins: Limiter;
  }
}

/**
 * Raw checks first, then the address: a wrong token costs its sender as much as a right one. The token's own share is
 * counted by the auth plugin, which knows it.
 */
export const limits = fp<RateLimits>(
  async (app, rates) => {
    const limitAddress = openLimiter(rates.requestsPerMinutePerAddress);
    app.decorate("limitToken", openLimiter(rates.requestsPerMinutePerToken));
    app.decorate("limitJoins", openLimiter(LIMITS.joinsPerMinutePerAddress));
    app.addHook("onRequest", (request, reply, done) => {
      assertRawRequest(request.raw);
      limitAddress(addressOf(request), reply);
      done();
    });
  },
  { name: "limits", fastify: "5.x" },
);

function openLimiter(max: number): Limiter {
  const count = openRateWindow(max);
  return (key, reply) => {
    const waitSeconds = count(key, Date.now());
    if (waitSeconds === 0) return;
    reply.header("retry-after", String(waitSeconds));
    throw rateLimited(max);
  };
}

/** One host of IPv6 has a whole /64 to call from: it counts as one. */
export function addressOf({ ip }: FastifyRequest): string {
  if (!ip.includes(":") || ip.startsWith("::ffff:")) return ip;
  const [head = "", tail] = ip.split("::");
  const [before, after] = [toGroups(head), toGroups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}

function toGroups(half: string): readonly string[] {
  return half === "" ? [] : half.split(":");
}
