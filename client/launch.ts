#!/usr/bin/env node
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs the client's first file, with what V8 made of it at an earlier session's start: compiling it takes longer than asking
 * the service. What was compiled is kept beside the file, by its name, which carries a hash of its content, and is worth what
 * the file itself is worth: whoever can write the one can write the other. V8 refuses what another version of itself has
 * made; it is made again then.
 */
declare const __FIRST_FILE__: string;

const file = join(__dirname, __FIRST_FILE__);
const keptAt = `${file}.${process.version}-${process.arch}`;
const cachedData = readKept();
// The build writes ASCII alone, which is read fastest so.
const script = new Script(readFileSync(file, "latin1"), { filename: file, ...(cachedData && { cachedData }) });
const isKept = cachedData !== undefined && script.cachedDataRejected === false;
// At its end, when what a session's start calls has been compiled, too; printing is over then.
if (!isKept && process.argv.slice(2, 4).join(" ") === "hook session-start") process.once("exit", keep);
script.runInThisContext()(require);

/**
 * It lies there twice: V8 takes it on trust, and what a disk has damaged would end the process. Reading what is no file, as
 * a pipe, could wait for ever.
 */
function readKept(): Buffer | undefined {
  try {
    if (!statSync(keptAt).isFile()) return undefined;
    const twice = readFileSync(keptAt);
    const once = twice.subarray(0, twice.length / 2);
    return once.length > 0 && once.equals(twice.subarray(once.length)) ? once : undefined;
  } catch {
    return undefined;
  }
}

function keep(): void {
  const temp = `${keptAt}.${process.pid}`;
  try {
    const once = script.createCachedData();
    writeFileSync(temp, Buffer.concat([once, once]), { flag: "wx", mode: 0o600 });
    renameSync(temp, keptAt);
  } catch {
    // The next start compiles, as this one did.
    rmSync(temp, { force: true });
  }
}
