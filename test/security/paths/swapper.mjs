/**
 * A hostile process: swaps a path between what belongs there and a link to elsewhere, as fast as it can, until it is
 * killed. `node swapper.mjs PATH PARKING TARGET`: what is at PATH waits at PARKING while a link to TARGET has its place.
 */
import { renameSync, symlinkSync, unlinkSync } from "node:fs";

const [path, parking, target] = process.argv.slice(2);

process.stdout.write("swapping\n");
for (;;) {
  renameSync(path, parking);
  symlinkSync(target, path);
  pause();
  unlinkSync(path);
  renameSync(parking, path);
  pause();
}

/** Long enough, and uneven enough, that the writer meets both states in every one of its steps. */
function pause() {
  const until = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 60_000));
  while (process.hrtime.bigint() < until);
}
