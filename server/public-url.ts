import type { Config } from "./config.ts";

const LOOPBACKS: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Other machines are served, and no address is known that they could be told. */
export function namesLoopbackToOthers({ publicUrl, host }: Pick<Config, "publicUrl" | "host">): boolean {
  return publicUrl === null && LOOPBACKS.has(host);
}

/**
 * What links say: the configured address, else the one that the service listens on. A wildcard is no address that
 * anyone could open, so links then say this machine's loopback.
 */
export function toPublicUrl({ publicUrl, host }: Pick<Config, "publicUrl" | "host">, port: number): string {
  if (publicUrl !== null) return publicUrl;
  const name = LOOPBACKS.get(host) ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** The line that a teammate pastes. The code is in the fragment, which no browser sends and no proxy logs. */
export function toJoinLine(publicUrl: string, code: string): string {
  return `npx -y ${publicUrl}/client.tgz join ${toJoinLink(publicUrl, code)}`;
}

export function toJoinLink(publicUrl: string, code: string): string {
  return `${publicUrl}/join#${code}`;
}
