import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { toSeconds } from "../to-seconds.ts";
import type { Call } from "./call.ts";

/**
 * A black hole answers neither yes nor no, and a service that hangs says nothing: neither may use up the time of a call that
 * has a long one by default. Each gives the function that ends its wait.
 */
interface Breakable {
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

export function limitConnecting(breakable: Breakable, { url }: Call): () => void {
  return giveUp(breakable, LIMITS.connectTimeoutMs, `Could not connect to ${url.origin}`);
}

export function limitAnswering(breakable: Breakable, { url, silenceMs }: Call): () => void {
  return silenceMs === null ? () => {} : giveUp(breakable, silenceMs, `No answer from ${url.origin}`);
}

function giveUp(breakable: Breakable, afterMs: number, what: string): () => void {
  const failure = () => new TeamMemoryError("timeout", `${what} within ${toSeconds(afterMs)}`);
  const timer = setTimeout(() => breakable.destroy(failure()), afterMs);
  const end = () => clearTimeout(timer);
  breakable.once("close", end);
  return end;
}
