import type { ServerResponse } from "node:http";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { LIMITS } from "../../shared/limits.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import { principalOf } from "../people/require-role.ts";
import { COMMON_HEADERS } from "../plugins/request-context.ts";
import type { Engine } from "../sync/engine.ts";
import { isUnchanged } from "./conditional.ts";

interface Poll {
  readonly project: ProjectName;
  readonly query: Parameters<Engine["memoriesEtag"]>[1];
}

export interface UnchangedPolls {
  /** The address of this request was read, and says this. */
  remember(request: FastifyRequest, poll: Poll): void;
  /** Answers 304 where an address that was read before is asked for again and nothing is new; else lets it pass. */
  readonly hook: onRequestHookHandler;
}

/**
 * A client polls with the same address until something changes: so what an address says is read once and remembered,
 * and an unchanged poll goes through no parser and no schema. Who may see what is asked each time.
 */
export function openUnchangedPolls(engine: Engine): UnchangedPolls {
  const polls = new Map<string, Poll>();
  const send = openLeanSending();
  return {
    remember: ({ url }, poll) => {
      if (polls.size >= LIMITS.pollsInMemoryMax) polls.clear();
      polls.set(url, poll);
    },
    hook: (request, reply, done) => {
      const poll = request.headers["if-none-match"] === undefined ? undefined : polls.get(request.url);
      if (poll === undefined || principalOf(request).roleOn(poll.project) === null) return done();
      const answer = (etag: string): void => {
        if (isUnchanged(request, etag)) send(reply.hijack().raw, etag);
        else done();
      };
      const known = engine.recallEtag(poll.project, poll.query);
      if (known === null) engine.memoriesEtag(poll.project, poll.query).then(answer, done);
      else answer(known);
    },
  };
}

/**
 * Past Fastify's own sending, which costs as much as all the checks before it. What one turn of the event loop has found
 * unchanged leaves together at its end: each answer that leaves alone wakes whoever waits for it, in the middle of the
 * others' checks. No more wait here than were read in one turn. A 304 has no body to say more about.
 */
function openLeanSending(): (response: ServerResponse, etag: string) => void {
  let waiting: (() => void)[] = [];
  const sendAll = () => {
    const ready = waiting;
    waiting = [];
    for (const send of ready) send();
  };
  return (response, etag) => {
    if (waiting.length === 0) setImmediate(sendAll);
    waiting.push(() => response.writeHead(304, [...COMMON_HEADERS, "etag", etag]).end());
  };
}
