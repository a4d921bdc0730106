/**
 * The handshake: every request of a client carries `team-memory-protocol: MAJOR.MINOR`, every answer the service's own.
 * Same major: served. Another major: 426 with the upgrade line. No header (a browser, curl): served.
 */
export const PROTOCOL = { major: 1, minor: 0 } as const;
export const PROTOCOL_HEADER = "team-memory-protocol";
/** Outcomes of the proposals named in a pull, as ASCII JSON: `Record<id, ProposalOutcome>`. */
export const OUTCOMES_HEADER = "team-memory-outcomes";

export const PROTOCOL_VERSION = `${PROTOCOL.major}.${PROTOCOL.minor}`;

export function isServedProtocol(header: string | undefined): boolean {
  if (header === undefined) return true;
  const major = /^(\d{1,4})\.\d{1,4}$/.exec(header)?.[1];
  return major !== undefined && Number(major) === PROTOCOL.major;
}
