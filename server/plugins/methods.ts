import type { FastifyContextConfig, FastifyInstance } from "fastify";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

interface KnownAddress {
  readonly methods: Set<string>;
  readonly config: FastifyContextConfig;
}

/** Watches routes come; called before the first one. */
export function collectAddresses(app: FastifyInstance): ReadonlyMap<string, KnownAddress> {
  const addresses = new Map<string, KnownAddress>();
  app.addHook("onRoute", ({ url, method, config = {} }) => {
    const address = addresses.get(url) ?? { methods: new Set(), config };
    for (const one of [method].flat()) address.methods.add(one);
    addresses.set(url, address);
  });
  return addresses;
}

/**
 * A known address with another method answers 405 and names the right ones. The refusing routes have the access of the
 * real ones, so that they tell a stranger nothing.
 */
export function refuseOtherMethods(app: FastifyInstance, addresses: ReadonlyMap<string, KnownAddress>): void {
  for (const [url, { methods, config }] of [...addresses]) {
    const allow = [...methods].sort().join(", ");
    const method = METHODS.filter((one) => !methods.has(one));
    app.route({
      method,
      url,
      config,
      handler: async (_request, reply) => {
        reply.header("allow", allow);
        throw methodNotAllowed(allow);
      },
    });
  }
}

/** TRACE and whatever else Node lets through have no routes at all. */
export function assertKnownMethod(method: string): void {
  if (!(METHODS as readonly string[]).includes(method)) throw methodNotAllowed(METHODS.join(", "));
}

function methodNotAllowed(allow: string): TeamMemoryError {
  return new TeamMemoryError("method_not_allowed", `Could not use this method here; these can be: ${allow}`);
}
