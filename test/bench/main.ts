/** The budgets, measured side by side in one run: `npm run bench`. Exits 1 where one does not hold. */
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { withTeardown } from "../support/teardown.ts";
import { benchGrowth, benchMemory } from "./bench-growth.ts";
import { benchHook } from "./bench-hook.ts";
import { benchPolls } from "./bench-polls.ts";
import { benchProposals } from "./bench-proposals.ts";
import { benchProposers } from "./bench-proposers.ts";
import { benchPulls } from "./bench-pulls.ts";
import { printRows, type Row } from "./row.ts";

const RESULTS = new URL("results.json", import.meta.url);

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const bench of [benchHook, benchPulls, benchPolls, benchProposals, benchProposers, benchGrowth, benchMemory])
    rows.push(...(await withTeardown(bench)));
  console.log(printRows(rows));
  await writeFile(RESULTS, `${JSON.stringify({ ...machine(), rows }, null, 2)}\n`);
  process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;
}

function machine() {
  return { measuredOn: new Date().toISOString().slice(0, 10), node: process.version, cores: cpus().length };
}

await main();
