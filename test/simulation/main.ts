/**
 * `npm run simulate -- --seeds N --clients 20 --steps 200`: the long run of the model, from seed `--from` on; prints the
 * seed and a short story of each failure. `-- --real --kills N`: the real client, killed N times; `-- --service --kills N`:
 * the real service, on the repository in its data folder or, with `--remote`, behind git's HTTP backend. Exits 1 on a failure.
 */
import { parseArgs } from "node:util";
import { withTeardown } from "../support/teardown.ts";
import { killClients } from "./kill-clients.ts";
import { killService } from "./kill-service.ts";
import { simulate } from "./simulate.ts";

const OPTIONS = {
  seeds: { type: "string", default: "1000" },
  from: { type: "string", default: "1" },
  clients: { type: "string", default: "20" },
  steps: { type: "string", default: "200" },
  real: { type: "boolean", default: false },
  service: { type: "boolean", default: false },
  remote: { type: "boolean", default: false },
  kills: { type: "string", default: "500" },
} as const;

const PROGRESS_EVERY = 10;
const FAILURES_MAX = 5;

type Values = ReturnType<typeof readValues>;

function readValues() {
  return parseArgs({ options: OPTIONS }).values;
}

/** Whether all went well. */
function simulateMany({ seeds, from, clients, steps }: Values): boolean {
  const startedAtMs = performance.now();
  const scale = { clients: toCount(clients), steps: toCount(steps) };
  let failures = 0;
  for (let played = 1; played <= toCount(seeds) && failures < FAILURES_MAX; played += 1) {
    const failure = simulate(toCount(from) + played - 1, scale);
    if (failure !== null) console.log(`seed ${failure.seed}: ${failure.problem}\n  ${failure.trace.join("\n  ")}`);
    failures += Number(failure !== null);
    if (played % PROGRESS_EVERY === 0 || played === toCount(seeds)) tellProgress(played, failures, startedAtMs);
  }
  return failures === 0;
}

function tellProgress(played: number, failures: number, startedAtMs: number): void {
  const perMinute = (played / (performance.now() - startedAtMs)) * 60_000;
  console.log(`${played} seeds, ${failures} failed, ${perMinute.toFixed(0)} a minute`);
}

async function killMany({ service, remote, ...values }: Values): Promise<boolean> {
  const [kills, seed] = [toCount(values.kills), toCount(values.from)];
  const onKill = (killed: number) => killed % PROGRESS_EVERY === 0 && console.log(`${killed} kills`);
  const report = service
    ? await killService({ kills, seed, onKill, remote: remote ? "http" : "embedded" })
    : await withTeardown((onEnd) => killClients({ kills, seed, onEnd, onKill }));
  const acknowledged = "acknowledged" in report ? `, ${report.acknowledged} proposals acknowledged` : "";
  console.log(
    `${report.kills} kills${acknowledged}, ${report.problems.length} problems\n${report.problems.join("\n")}`,
  );
  return report.kills === kills && report.problems.length === 0;
}

/** @throws RangeError */
function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`Not a count: ${text}`);
  return count;
}

const values = readValues();
process.exitCode = (values.real || values.service ? await killMany(values) : simulateMany(values)) ? 0 : 1;
