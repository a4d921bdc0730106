import { expect, it, onTestFinished } from "vitest";
import { killClients } from "../simulation/kill-clients.ts";

const KILLS = 40;

it(`a client killed ${KILLS} times while it pulls and pushes leaves no torn file and heals in one run`, async () => {
  const seed = Date.now();
  const report = await killClients({ kills: KILLS, seed, onEnd: onTestFinished });
  expect(report, `seed ${seed}`).toEqual({ kills: KILLS, problems: [] });
});
