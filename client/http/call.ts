import type { RequestOptions } from "node:http";
import type { Deadline } from "./deadline.ts";

/** One request, whoever sends it. */
export interface Call {
  readonly url: URL;
  readonly method: "GET" | "PUT" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly deadline: Deadline;
  /** How long the service may be silent once it is asked; null: as long as the call may take. */
  readonly silenceMs: number | null;
  /** Whether any byte of the request can have left. */
  readonly sending: { isSent: boolean };
}

/** Answers for the system where a host is. */
export type Lookup = NonNullable<RequestOptions["lookup"]>;
