/**
 * What the service counts of itself, for Prometheus at /metrics. In a registry of its own, so that several services in one
 * process keep apart. No label names a project, a person or a key.
 */
import fp from "fastify-plugin";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { WebhookForge } from "../../shared/protocol/schemas.ts";
import type { GitWatcher } from "../git/watch-port.ts";
import type { EngineStats } from "../sync/engine-stats.ts";

export interface ServiceMetrics {
  readonly git: GitWatcher;
  /** One fetch from the remote that brought something. */
  readonly fetched: () => void;
  /** One delivery of a webhook, and what became of it. */
  readonly delivered: (forge: WebhookForge, result: DeliveryResult) => void;
  /** `seconds` from the request to its answer. */
  readonly answered: (route: string, status: number, seconds: number) => void;
  /** Reads the engine's numbers, then writes all in Prometheus' text form. */
  readonly print: (read: () => Promise<EngineStats>) => Promise<string>;
  readonly contentType: string;
}

/** `ignored`: it says nothing of branches. `unread`: too large, or cut off. */
type DeliveryResult = "looking" | "duplicate" | "ignored" | "unsigned" | "unread";

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200];

export function buildMetrics(): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `team_memory_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name: `team_memory_${name}`, help, buckets, labelNames, registers });

  const polls = counter("polls_total", "Looks at the remote", ["result"]);
  const fetches = counter("fetches_total", "Fetches from the remote that brought something");
  const pushes = counter("pushes_total", "Publications of changes, by what became of them", ["result"]);
  const pushSeconds = histogram("push_seconds", "From a publication to its outcome", SECONDS);
  const batches = histogram("push_changes", "Changes of one push that are independent of each other", SIZES);
  const deliveries = counter("webhooks_total", "Deliveries of webhooks, by what became of them", ["forge", "result"]);
  const answers = histogram("answer_seconds", "From a request to its answer, unchanged polls aside", SECONDS, [
    "route",
    "status",
  ]);
  const numbers = buildGauges(registers);

  return {
    git: {
      polled: (result) => polls.inc({ result }),
      pushed: (result, tookMs) => {
        pushes.inc({ result });
        pushSeconds.observe(tookMs / 1_000);
      },
      batched: (changes) => batches.observe(changes),
    },
    fetched: () => fetches.inc(),
    delivered: (forge, result) => deliveries.inc({ forge, result }),
    answered: (route, status, seconds) => answers.observe({ route, status }, seconds),
    print: async (read) => {
      const stats = await read();
      for (const [name, gauge] of numbers) gauge.set(stats[name]);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

const GAUGES: Readonly<Record<keyof EngineStats, readonly [name: string, help: string]>> = {
  snapshotAgeSeconds: ["snapshot_age_seconds", "Since the remote was last looked at with success"],
  quarantined: ["quarantined_files", "Files of loaded projects that are handed to nobody"],
  writesWaiting: ["writes_waiting", "Writes that wait for their turn, or have it"],
  openProposals: ["open_proposals", "Proposals that wait for review"],
  projects: ["projects", "Projects on the base"],
  held: ["held", "Changes of the remote that are held until a reviewer accepts them"],
  remotesNotOpen: ["remotes_not_open", "Remotes that could not be opened since the start"],
};

function buildGauges(registers: Registry[]): ReadonlyMap<keyof EngineStats, Gauge> {
  const names = Object.keys(GAUGES) as (keyof EngineStats)[];
  return new Map(
    names.map((key) => {
      const [name, help] = GAUGES[key];
      return [key, new Gauge({ name: `team_memory_${name}`, help, registers })];
    }),
  );
}

/** By route as it is written, never by address: an address names projects. Past Fastify's own sending nothing is timed. */
export const timing = fp<{ metrics: ServiceMetrics }>(
  async (app, { metrics }) => {
    app.addHook("onRoute", (route) => {
      const before = route.onSend === undefined ? [] : [route.onSend].flat();
      route.onSend = [
        ...before,
        async (request, reply, payload) => {
          metrics.answered(request.routeOptions.url ?? "", reply.statusCode, reply.elapsedTime / 1_000);
          return payload;
        },
      ];
    });
  },
  { name: "timing", fastify: "5.x" },
);
