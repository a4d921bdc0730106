/** One seed, one story: the same on every machine. */
import { randomFrom } from "../support/random.ts";
import { type Planner, REAL_PLANNER } from "./planner.ts";
import { quiet } from "./quiet.ts";
import { type Played, shrink } from "./shrink.ts";
import { drawStep, runStep } from "./steps.ts";
import { Violation } from "./violation.ts";
import { openWorld } from "./world.ts";

export interface Scale {
  readonly clients: number;
  /** Of each client. */
  readonly steps: number;
}

export interface Failure {
  readonly seed: number;
  readonly problem: string;
  /** The shortest story that was found to end in it. */
  readonly trace: readonly string[];
}

/** Steps of the remote to one of all clients. */
const REMOTE_SHARE = 4;
/** Each client's steps between two quiet rounds. */
const QUIET_EVERY = 25;

/** Null: nothing that must not happen did. */
export function simulate(seed: number, scale: Scale, planner: Planner = REAL_PLANNER): Failure | null {
  const steps = drawSteps(seed, scale);
  const cast = { clients: scale.clients, planner };
  const end = play(steps, cast);
  if (end === null) return null;
  const shortest = shrink(steps.slice(0, end.played), (some) => play(some, cast)?.played ?? null);
  const trace: string[] = [];
  const last = play(shortest, { ...cast, tell: (text) => trace.push(text) });
  return { seed, problem: (last ?? end).problem, trace };
}

function drawSteps(seed: number, { clients, steps }: Scale): Played[] {
  const draw = randomFrom(seed);
  const drawn: Played[] = [];
  for (let step = 1; step <= steps; step += 1) {
    for (let client = 0; client < clients; client += 1) drawn.push(drawStep(client, draw));
    for (let act = 0; act < REMOTE_SHARE; act += 1) drawn.push(drawStep("remote", draw));
    if (step % QUIET_EVERY === 0 || step === steps) drawn.push(null);
  }
  return drawn;
}

interface Play {
  readonly clients: number;
  readonly planner: Planner;
  readonly tell?: (text: string) => void;
}

const STEP_MS = 20 * 60 * 1_000;

interface End {
  readonly problem: string;
  /** How many steps it took. */
  readonly played: number;
}

/** What went wrong; null: nothing. */
function play(steps: readonly Played[], { clients, planner, tell = () => {} }: Play): End | null {
  const world = openWorld(clients, planner, tell);
  let played = 0;
  try {
    for (const step of steps) {
      played += 1;
      world.nowMs += STEP_MS;
      if (step === null) {
        tell("quiet");
        quiet(world);
      } else runStep(world, step);
    }
    return null;
  } catch (error) {
    if (error instanceof Violation) return { problem: error.message, played };
    throw error;
  }
}
