/** A quiet round: everyone is online, every fault is over, all sync until nothing moves; then the invariants hold. */
import { listParked, NO_MARKS } from "../../client/sync/state/marks.ts";
import type { MemoryKey } from "../../shared/path/sanitize-path-key.ts";
import type { Machine } from "./machine.ts";
import { Violation } from "./violation.ts";
import { sync, type World } from "./world.ts";

const ROUNDS_MAX = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** @throws Violation */
export function quiet(world: World): void {
  const { service, machines, late } = world;
  service.base.accept();
  service.forbidden.clear();
  for (const request of late.splice(0)) service.put(request);
  service.reconcile();
  world.nowMs += 2 * DAY_MS;
  for (const machine of machines) machine.offlineUntilMs = 0;
  settleAll(world);
  for (const machine of machines) {
    checkOwed(world, machine);
    checkFiles(world, machine);
  }
}

/** The first round takes removals that were held; the last one changes nothing, with one request a client. A day each. */
function settleAll(world: World): void {
  for (let round = 1; ; round += 1) {
    for (const machine of world.machines) machine.requests = 0;
    for (const machine of world.machines) sync(world, machine, { acceptRemovals: round === 1 });
    world.service.reconcile();
    world.nowMs += DAY_MS;
    if (round > 2 && world.machines.every(({ requests }) => requests === 1)) return;
    if (round >= ROUNDS_MAX) throw new Violation("requests do not come to rest");
  }
}

/** Every text that somebody wrote is in place, on the base, in a proposal, or waits as a conflict: or what was made of it. */
function checkOwed(world: World, machine: Machine): void {
  for (const [blob, key] of machine.owed) {
    if (world.service.base.hasHad(key, blob)) machine.owed.delete(blob);
    else if (!isKept(world, machine, { key, blob })) {
      throw new Violation(`client ${machine.id}: a text of ${key} is lost${isInAttic(machine, key, blob)}`);
    }
  }
}

interface OwedText {
  readonly key: MemoryKey;
  readonly blob: string;
}

function isKept({ service, ledger }: World, { disk }: Machine, { key, blob }: OwedText): boolean {
  const sent = disk.outbox.open?.changes.filter((change) => change.key === key) ?? [];
  const parked = listParked(disk.marks.get(key) ?? NO_MARKS);
  const based = service.base.entriesOf(key).map((entry) => entry.blob);
  const made = [disk.files.get(key), ...sent.map((change) => change.blob), ...parked, ...based];
  return made.some((one) => typeof one === "string" && ledger.descends(one, blob));
}

function isInAttic({ disk }: Machine, key: string, blob: string): string {
  return disk.attic.get(key)?.includes(blob) === true ? ": put away without a word" : "";
}

/** The team's folder is the base but for what this machine's people changed, and that is proposed or waits for them. */
function checkFiles({ service, ledger }: World, machine: Machine): void {
  const { files, marks } = machine.disk;
  for (const key of new Set([...service.base.files.keys(), ...files.keys()]) as Set<MemoryKey>) {
    const here = files.get(key);
    const there = service.base.files.get(key);
    if (here === there) continue;
    const problem = here === undefined ? findMissing(marks.get(key)) : findStray(machine, key, here, service);
    if (problem !== null) throw new Violation(`client ${machine.id}: ${key} ${problem}`);
    if (here !== undefined && /^(<{7}|={7}|>{7})/m.test(ledger.textOf(here))) {
      throw new Violation(`client ${machine.id}: ${key} has conflict markers`);
    }
  }
}

function findMissing(marks = NO_MARKS): string | null {
  return marks.removal === undefined ? "is missing, and nobody removed it" : null;
}

function findStray({ disk, origins, hasForgotten }: Machine, key: MemoryKey, here: string, service: World["service"]) {
  const { conflict, rejected, held, refused } = disk.marks.get(key) ?? NO_MARKS;
  // Without its copies a client cannot tell what the team once had from what somebody wrote here.
  if (held?.blob === here && (held.because === "unknown" || hasForgotten)) return null;
  if (!origins.has(`${key}:${here}`)) return "is neither the team's nor anybody's here";
  if (conflict !== undefined || rejected?.blob === here || held?.blob === here || refused?.blob === here) return null;
  const { open } = disk.outbox;
  const proposal = open === null ? undefined : service.proposals.get(open.id);
  const isSent = open?.changes.some((change) => change.key === key && change.blob === here) === true;
  return isSent && proposal?.state === "open" ? null : "was changed, and is not proposed";
}
