import type { Identity } from "./port.ts";

/** Who commits what no person has written, and what one has proposed, unless a remote is given another committer. */
export const SERVICE_IDENTITY: Identity = { name: "team-memory", email: "team-memory@localhost" };
