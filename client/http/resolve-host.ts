import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { isLocalName, toBareHost } from "./assert-safe-url.ts";
import type { Lookup } from "./call.ts";
import type { Deadline } from "./deadline.ts";

/**
 * Where a host is, found in a way that can be given up. The system's own look-up blocks a thread until its name servers
 * answer, and the process cannot end before that thread does: with a name server that is down, a hook that must return
 * within two seconds would take ten. So the name servers are asked first by a look-up that stops when told to; only
 * when they have answered (or none is configured) but do not know the name, the system is asked, which knows more sources.
 *
 * @returns null: let the system look it up
 * @throws TeamMemoryError `unreachable` where the name servers do not answer
 */
export async function resolveHost(hostname: string, deadline: Deadline): Promise<Lookup | null> {
  const host = toBareHost(hostname);
  if (isIP(host) !== 0) return null;
  if (isLocalName(host)) return answerWith(LOOPBACK);
  if (isInHostsFile(host)) return null;
  const addresses = await askNameServers(host, deadline);
  return addresses === null ? null : answerWith(addresses);
}

type HostAddress = { readonly address: string; readonly family: 4 | 6 };

function answerWith(addresses: readonly HostAddress[]): Lookup {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

/** Without a look-up, and IPv4 first: that is where a service on this machine listens unless it was told otherwise. */
const LOOPBACK: readonly HostAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

function isInHostsFile(host: string): boolean {
  try {
    const words = readFileSync("/etc/hosts", "utf8").toLowerCase().split(/\s+/);
    return words.includes(host.toLowerCase());
  } catch {
    return false;
  }
}

async function askNameServers(host: string, deadline: Deadline): Promise<readonly HostAddress[] | null> {
  const { Resolver } = process.getBuiltinModule("node:dns/promises");
  const resolver = new Resolver({ timeout: LIMITS.nameServerTimeoutMs, tries: 2 });
  const asking = Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const [v4, v6] = await deadline.during(asking, () => resolver.cancel());
  const addresses = [...toAddresses(v4, 4), ...toAddresses(v6, 6)];
  if (addresses.length > 0) return addresses;
  if (isSilent(v4) && isSilent(v6)) throw silent(host);
  return null;
}

function toAddresses(found: PromiseSettledResult<string[]>, family: 4 | 6): HostAddress[] {
  return found.status === "fulfilled" ? found.value.map((address) => ({ address, family })) : [];
}

function isSilent(found: PromiseSettledResult<string[]>): boolean {
  return (
    found.status === "rejected" && /^(ETIMEOUT|ECANCELLED)$/.test((found.reason as NodeJS.ErrnoException).code ?? "")
  );
}

function silent(host: string): TeamMemoryError {
  return new TeamMemoryError("unreachable", `No name server answers for ${host}`, { details: { host } });
}
