import { expect, it, onTestFinished } from "vitest";
import { killClients } from "../simulation/kill-clients.ts";

/** Each takes a sync that is killed and one that heals it: `KILLS=500` for a long run. */
const KILLS = Number(process.env["KILLS"] ?? 10);

it(`the client, killed ${KILLS} times at any moment of pull and push, leaves no torn file and is whole after one run`, async () => {
  const seed = Date.now();
  const report = await killClients({ kills: KILLS, seed, onEnd: onTestFinished });
  expect(report, `seed ${seed}`).toEqual({ kills: KILLS, problems: [] });
}, 1_200_000);
