import { expect, it } from "vitest";
import type { GitPort, PublishOutcome } from "../../../server/git/port.ts";
import { watchPort } from "../../../server/git/watch-port.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";

it.each([
  { becomes: async (): Promise<PublishOutcome> => ({ kind: "published" }), told: "ok" },
  { becomes: async (): Promise<PublishOutcome> => ({ kind: "lost", ref: "refs/heads/main" }), told: "lost" },
  { becomes: () => Promise.reject(new TeamMemoryError("remote_refused", "no")), told: "refused" },
  { becomes: () => Promise.reject(new TeamMemoryError("remote_unreachable", "gone")), told: "failed" },
])("watchPort tells a push as $told, and hands its outcome on", async ({ becomes, told }) => {
  const seen: string[] = [];
  const port = { publish: becomes, refresh: () => becomes().then(() => {}) } as unknown as GitPort;
  const watched = watchPort(port, {
    polled: (result) => seen.push(result),
    pushed: (result) => seen.push(result),
    batched: () => {},
  });
  const settled = [await Promise.allSettled([becomes()]), await Promise.allSettled([watched.publish([])])];
  expect(settled[1]).toEqual(settled[0]);
  await Promise.allSettled([watched.refresh()]);
  expect(seen).toEqual([told, told === "ok" || told === "lost" ? "ok" : "failed"]);
});
