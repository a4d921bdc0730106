/** What may happen at one step, drawn from the step's own seed: a step that is dropped changes no other one's choices. */
import { randomFrom } from "../support/random.ts";
import { recover } from "./carry-out.ts";
import type { ClientRun, Fate } from "./client-run.ts";
import { namePush, removeKey, resolveConflict, restoreKey } from "./commands.ts";
import { copyDisk, emptyDisk } from "./disk.ts";
import { KEYS, toKey } from "./keys.ts";
import { Killed, type Machine, sweepFile, type Trouble, writeMemory } from "./machine.ts";
import {
  approveSome,
  closeSome,
  commitToBase,
  commitToBranch,
  deleteBranch,
  mergeWithEdits,
  type Random,
  removeMany,
} from "./reviewers.ts";
import { runPull } from "./run-pull.ts";
import { runPush } from "./run-push.ts";
import { pull, runClient, sync, type World } from "./world.ts";

export interface Step {
  readonly name: string;
  /** The machine, or the remote. */
  readonly actor: number | "remote";
  readonly seed: number;
}

const HOUR_MS = 60 * 60 * 1_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

type Act<Args extends unknown[]> = readonly [weight: number, act: (...args: Args) => void];
type MachineAct = Act<[World, Machine, Random]>;
type RemoteAct = Act<[World, Random]>;

const MACHINE_ACTS: Readonly<Record<string, MachineAct>> = {
  idle: [30, () => {}],
  sync: [24, (world, machine, random) => sync(world, machine, { fate: toFate(random) })],
  pull: [6, (world, machine, random) => pull(world, machine, { fate: toFate(random) })],
  "sync under fire": [6, syncUnderFire],
  write: [
    14,
    (world, machine, random) => writeMemory(machine, world.ledger, { key: toKey(random), choice: random(4) }),
  ],
  "edit what lies there": [10, editOne],
  "sweep one": [2, ({ ledger }, machine, random) => sweepFile(machine, ledger, toKey(random))],
  "sweep all": [1, sweepAll],
  rm: [2, (world, machine, random) => command(world, machine, (run) => removeKey(run, toKey(random)))],
  restore: [1, (world, machine, random) => command(world, machine, (run) => restoreKey(run, toKey(random)))],
  "push by name": [1, pushByName],
  "resolve a conflict": [2, resolveOne],
  "go offline": [0.5, (world, machine, random) => goOffline(world, machine, random)],
  "set the clock": [0.5, (_, machine, random) => setClock(machine, random)],
  "make a backup": [0.4, (_, machine) => makeBackup(machine)],
  "restore the backup": [0.2, (_, machine) => restoreBackup(machine)],
  "lose the copies": [0.2, (_, machine) => loseCopies(machine)],
  "lose the state": [0.1, (_, machine) => loseState(machine)],
};

const REMOTE_ACTS: Readonly<Record<string, RemoteAct>> = {
  approve: [10, (world, random) => review(world, random, approveSome)],
  "merge with edits": [4, (world, random) => review(world, random, mergeWithEdits)],
  close: [2, (world, random) => review(world, random, closeSome)],
  "delete a branch": [1, (world, random) => review(world, random, deleteBranch)],
  "commit to a branch": [2, (world, random) => review(world, random, commitToBranch)],
  "commit to the base": [3, (world, random) => commitToBase(world, random, KEYS)],
  "remove many": [0.2, removeMany],
  "force-push": [0.3, (world, random) => world.service.base.rewind(1 + random(10))],
  "accept the base": [2, (world) => world.service.base.accept()],
  "deliver late": [3, deliverLate],
  "forbid or allow": [0.5, forbidOrAllow],
};

export function runStep(world: World, { name, actor, seed }: Step): void {
  const draw = randomFrom(seed);
  const random: Random = (below) => Math.floor(draw() * below);
  world.tell(actor === "remote" ? `remote: ${name}` : `client ${actor}: ${name}`);
  if (actor === "remote") REMOTE_ACTS[name]?.[1](world, random);
  else {
    const machine = world.machines[actor];
    if (machine !== undefined) MACHINE_ACTS[name]?.[1](world, machine, random);
  }
  world.service.reconcile();
}

export function drawStep(actor: Step["actor"], draw: () => number): Step {
  return {
    actor,
    name: actor === "remote" ? drawName(REMOTE_ACTS, draw()) : drawName(MACHINE_ACTS, draw()),
    seed: draw() * 2 ** 32,
  };
}

function drawName(acts: Readonly<Record<string, readonly [number, unknown]>>, at: number): string {
  const all = Object.entries(acts);
  let left = at * all.reduce((sum, [, [weight]]) => sum + weight, 0);
  for (const [name, [weight]] of all) {
    left -= weight;
    if (left < 0) return name;
  }
  return all[0]?.[0] ?? "";
}

const FATES: readonly Fate[] = ["lost", "answer_lost", "late", "twice"];

function toFate(random: Random): () => Fate {
  return () => (random(8) === 0 ? (FATES[random(FATES.length)] ?? "fine") : "fine");
}

/** Killed at some step, and somebody writes at another. */
function syncUnderFire(world: World, machine: Machine, random: Random): void {
  const kill: Trouble = {
    steps: 1 + random(30),
    strike: () => {
      throw new Killed();
    },
  };
  const write: Trouble = {
    steps: 1 + random(20),
    strike: () => writeMemory(machine, world.ledger, { key: toKey(random), choice: random(4), isMeanwhile: true }),
  };
  machine.troubles = [[kill], [write], [kill, write]][random(3)] ?? [];
  sync(world, machine, { fate: toFate(random) });
}

function editOne({ ledger }: World, machine: Machine, random: Random): void {
  const keys = [...machine.disk.files.keys()];
  const key = keys[random(keys.length)];
  if (key !== undefined) writeMemory(machine, ledger, { key, choice: random(4) });
}

function sweepAll({ ledger }: World, machine: Machine): void {
  for (const key of KEYS) sweepFile(machine, ledger, key);
}

function pushByName(world: World, machine: Machine, random: Random): void {
  const key = toKey(random);
  if (!namePush({ machine, ledger: world.ledger }, key)) return;
  runClient(world, machine, { fate: toFate(random) }, (run) => runPush(run, new Set([key])));
}

function resolveOne(world: World, machine: Machine, random: Random): void {
  const keys = KEYS.filter((key) => machine.disk.marks.get(key)?.conflict !== undefined);
  const key = keys[random(keys.length)];
  if (key === undefined) return;
  command(world, machine, (run) => resolveConflict(run, key, random(2) === 0 ? "mine" : "theirs"));
}

/** After a killed run was finished, and never before a first pull. */
function command(world: World, machine: Machine, act: (run: ClientRun) => void): void {
  runClient(world, machine, {}, (run) => {
    const { disk } = machine;
    if (disk.journal !== null) recover(machine, disk.journal);
    if (disk.pulled === null) runPull(run);
    act(run);
  });
}

function goOffline({ nowMs }: World, machine: Machine, random: Random): void {
  machine.offlineUntilMs = nowMs + random(5 * WEEK_MS);
}

function setClock(machine: Machine, random: Random): void {
  machine.skewMs = (random(3) - 1) * random(4 * WEEK_MS);
}

function makeBackup(machine: Machine): void {
  machine.backup = copyDisk(machine.disk);
}

/** The whole machine as it was: what was written since is gone by its owner's hand. */
function restoreBackup(machine: Machine): void {
  if (machine.backup === null) return;
  machine.disk = copyDisk(machine.backup);
  forgetOwed(machine);
}

/** Damaged: they are pulled anew. */
function loseCopies(machine: Machine): void {
  const { disk } = machine;
  machine.hasForgotten = true;
  if (disk.journal === null) disk.pulled = null;
}

function loseState(machine: Machine): void {
  machine.disk = { ...emptyDisk(), files: machine.disk.files };
  forgetOwed(machine);
}

function forgetOwed(machine: Machine): void {
  const { disk, owed } = machine;
  machine.hasForgotten = true;
  const files = new Set(disk.files.values());
  for (const blob of owed.keys()) if (!files.has(blob)) owed.delete(blob);
}

type Review = Parameters<typeof approveSome>[0];

function review(world: World, random: Random, act: (review: Review) => void): void {
  const open = [...world.service.proposals.values()].filter(
    ({ state, changes }) => state === "open" && changes.size > 0,
  );
  const proposal = open[random(open.length)];
  if (proposal !== undefined) act({ world, random, proposal });
}

function deliverLate({ service, late }: World, random: Random): void {
  const [request] = late.splice(random(late.length), 1);
  if (request !== undefined) service.put(request);
}

function forbidOrAllow({ service, machines }: World, random: Random): void {
  const id = random(machines.length);
  if (!service.forbidden.delete(id)) service.forbidden.add(id);
}
