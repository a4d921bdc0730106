#!/usr/bin/env node
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

/**
 * Runs the client's two files, each with what V8 made of it at an earlier run: compiling them takes longer than asking the
 * service. What was compiled is kept beside the file, by its name, which carries a hash of its content, and is worth what
 * the file itself is worth: whoever can write the one can write the other. V8 refuses what another version of itself has
 * made; it is made again then.
 */
declare const __FIRST_FILE__: string;
declare const __LATER_FILE__: string;

/** A part is a function of the `require` that it is to use; the second one gives what it exports. */
type Part = (require: NodeJS.Require) => unknown;

const START = "hook session-start";
const call = process.argv.slice(2, 4).join(" ");
let later: unknown;

load(
  __FIRST_FILE__,
  call === START,
)(Object.assign((name: string) => (name === `./${__LATER_FILE__}` ? loadLater() : require(name)), require));

function loadLater(): unknown {
  // Kept by the runs that take something in: what those call is what is waited for.
  later ??= load(__LATER_FILE__, call === START || process.argv[2] === "pull")(require);
  return later;
}

function load(name: string, isToKeep: boolean): Part {
  const filename = join(__dirname, name);
  const keptAt = `${filename}.${process.version}-${process.arch}`;
  const cachedData = readKept(keptAt);
  const script = new Script(readFileSync(filename, "utf8"), { filename, ...(cachedData && { cachedData }) });
  const isKept = cachedData !== undefined && script.cachedDataRejected === false;
  // At its end, when what such a run calls has been compiled, too; printing is over then.
  if (!isKept && isToKeep) process.once("exit", () => keep(script, keptAt));
  return script.runInThisContext();
}

/**
 * It lies there twice: V8 takes it on trust, and what a disk has damaged would end the process. Reading what is no file, as
 * a pipe, could wait for ever.
 */
function readKept(keptAt: string): Buffer | undefined {
  try {
    if (!statSync(keptAt).isFile()) return undefined;
    const twice = readFileSync(keptAt);
    const once = twice.subarray(0, twice.length / 2);
    return once.length > 0 && once.equals(twice.subarray(once.length)) ? once : undefined;
  } catch {
    return undefined;
  }
}

function keep(script: Script, keptAt: string): void {
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
