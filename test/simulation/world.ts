/** All of it: the machines, the service, the clock, and what is on its way. */
import { openBase } from "./base.ts";
import { type ClientRun, type Fate, NotReached } from "./client-run.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { Killed, type Machine, newMachine } from "./machine.ts";
import type { Planner } from "./planner.ts";
import { runPull } from "./run-pull.ts";
import { runPush } from "./run-push.ts";
import { openService, type PutAnswer, type PutChange, type PutRequest, type Service } from "./service.ts";
import { Violation } from "./violation.ts";

export interface World {
  readonly machines: readonly Machine[];
  readonly service: Service;
  readonly ledger: Ledger;
  readonly planner: Planner;
  nowMs: number;
  /** Requests whose senders have given up. */
  readonly late: PutRequest[];
  /** What happens, for a trace; not called where nobody reads it. */
  readonly tell: (text: string) => void;
}

/** More requests in one run of one client than any situation needs. */
const REQUESTS_PER_RUN_MAX = 16;
const LATE_MAX = 20;

export function openWorld(clients: number, planner: Planner, tell: World["tell"]): World {
  const ledger = openLedger();
  const machines = Array.from({ length: clients }, (_, id) => newMachine(id));
  const base = openBase();
  const opened = openService(base, (owner, change, wasRejected) =>
    judge({ machines, ledger, service: opened }, owner, { ...change, wasRejected }),
  );
  const service: Service = { ...opened, put: (request) => tellAnswer(tell, request, opened.put(request)) };
  return { machines, service, ledger, planner, nowMs: Date.UTC(2026, 0, 1), late: [], tell };
}

function tellAnswer(tell: World["tell"], { id, seq, changes }: PutRequest, answer: PutAnswer): PutAnswer {
  const keys = changes.map(({ key, blob }) => (blob === null ? `${key} removed` : key)).join(", ");
  tell(`  proposal ${id}, set ${seq} (${keys}): ${answer.kind === "taken" ? answer.state : answer.kind}`);
  return answer;
}

interface Judged extends PutChange {
  /** A reviewer has said no to this very text. */
  readonly wasRejected: boolean;
}

type Known = Pick<World, "machines" | "ledger" | "service">;

/** A change reaches a proposal: did whoever wrote it mean that? */
function judge({ machines, ledger, service }: Known, owner: number, change: Judged): void {
  const { key, baseBlob, blob, wasRejected } = change;
  const machine = machines[owner];
  const said = `client ${owner} proposes ${key}`;
  if (blob === null) {
    if (machine?.removals.has(`${key}:${baseBlob}`) === true) return;
    throw new Violation(`${said}: a removal that was meant for another text`);
  }
  const origin = machine?.origins.get(`${key}:${blob}`);
  if (baseBlob !== null && !ledger.descends(blob, baseBlob)) {
    throw new Violation(`${said}: over a text that its writer never saw`);
  }
  const isBack = baseBlob === null && service.base.entriesOf(key).length > 0;
  const isOurs = origin === "named" || (origin === "new" && !service.base.hasHad(key, blob));
  if (isBack && !isOurs) throw new Violation(`${said}: a memory that the team removed comes back by itself`);
  if (wasRejected && origin !== "named" && origin !== "remade" && machine?.hasForgotten === false) {
    throw new Violation(`${said}: a text that was rejected is sent again`);
  }
}

export interface RunOptions {
  readonly fate?: () => Fate;
  readonly acceptRemovals?: boolean;
}

/** Runs a part of the client; unreached services and kills end it, and are no failure. */
export function runClient(world: World, machine: Machine, options: RunOptions, part: (run: ClientRun) => void): void {
  const { service, ledger, planner, nowMs, late } = world;
  const before = machine.requests;
  const isOffline = machine.offlineUntilMs > nowMs;
  const fate = isOffline ? () => "lost" as const : (options.fate ?? (() => "fine" as const));
  const postpone = (request: PutRequest) => {
    if (late.length < LATE_MAX) late.push(request);
  };
  const { acceptRemovals = false } = options;
  try {
    part({
      machine,
      service,
      ledger,
      planner,
      nowMs: nowMs + machine.skewMs,
      acceptRemovals,
      fate,
      postpone,
      tell: world.tell,
    });
  } catch (error) {
    if (!(error instanceof NotReached || error instanceof Killed)) throw error;
    world.tell(`  ${error instanceof Killed ? "killed" : "gave up"}`);
  }
  machine.troubles = [];
  if (machine.requests - before > REQUESTS_PER_RUN_MAX)
    throw new Violation(`client ${machine.id}: a storm of requests`);
}

/** Pull, then push. */
export function sync(world: World, machine: Machine, options: RunOptions = {}): void {
  runClient(world, machine, options, (run) => {
    runPull(run);
    runPush(run, new Set());
  });
}

export function pull(world: World, machine: Machine, options: RunOptions = {}): void {
  runClient(world, machine, options, runPull);
}
