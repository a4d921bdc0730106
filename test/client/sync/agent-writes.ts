/**
 * An agent in a process of its own that keeps writing memories while others pull: `node agent-writes.ts TEAM_DIR TIMES`.
 * Prints, as JSON, each word that it wrote and did not itself write over.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEYS = 4;

const [teamDir = "", times = "0"] = process.argv.slice(2);
const last = new Map<string, string>();
const left: string[] = [];

for (let turn = 0; turn < Number(times); turn += 1) {
  const key = `k${turn % KEYS}.md`;
  const word = `word-${turn}-of-the-agent`;
  const before = last.get(key);
  // What stands there no more was replaced by somebody else, who has to have kept it.
  if (before !== undefined && !read(key).includes(before)) left.push(before);
  write(key, `---\nname: K\ndescription: About K\ntype: feedback\n---\n${word}\n`, turn % 2 === 0);
  last.set(key, word);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, turn % 7);
}
process.stdout.write(JSON.stringify([...left, ...last.values()]));

function read(key: string): string {
  try {
    return readFileSync(join(teamDir, key), "utf8");
  } catch {
    return "";
  }
}

/** As editors do it, and as hosts do it. */
function write(key: string, text: string, isInPlace: boolean): void {
  const path = join(teamDir, key);
  const draft = isInPlace ? path : `${path}.draft`;
  writeFileSync(draft, text);
  if (!isInPlace) renameSync(draft, path);
}
