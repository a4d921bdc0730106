import { expect, it } from "vitest";
import { killService } from "../simulation/kill-service.ts";

/** Each takes a start of the service: `KILLS=100` for a long run. */
const KILLS = Number(process.env["KILLS"] ?? 7);

it.each([
  { remote: "embedded", where: "in its data folder" },
  { remote: "http", where: "behind git's own HTTP backend" },
] as const)(
  `the service with its repository $where, killed ${KILLS} times under load, keeps both sound and all that it acknowledged`,
  async ({ remote }) => {
    const seed = Date.now();
    const { acknowledged, ...report } = await killService({ kills: KILLS, seed, remote });
    expect(report, `seed ${seed}`).toEqual({ kills: KILLS, problems: [] });
    // A life on a slow remote may be too short for any: enough of them that there is something to lose.
    expect(acknowledged, `seed ${seed}`).toBeGreaterThan(KILLS / 5);
  },
  600_000,
);
