/**
 * One process that writes through the git port, for tests that run several and kill some:
 * `git-writer.ts <data folder> <name> <commits>`. Each change goes the way of a proposal: onto a branch of its own, then
 * into the base while the branch goes. Prints `ready`, then the id of each commit once it is in the base.
 */
import { openEmbeddedRepository } from "../../server/git/open-embedded.ts";
import type { GitPort } from "../../server/git/port.ts";

const BASE = "refs/heads/main";
const [folder = "", name = "", commits = "0"] = process.argv.slice(2);

async function write(git: GitPort, number: number): Promise<void> {
  const branch = `refs/heads/team-memory/${name}-${process.pid}-${number}`;
  let proposed: string | null = null;
  for (;;) {
    const base = (await git.readRef(BASE)) ?? "";
    const commit = await commitOne(git, base, number);
    await git.publish([{ ref: branch, expectedOld: proposed, new: commit }]);
    proposed = commit;
    const outcome = await git.publish([
      { ref: BASE, expectedOld: base, new: commit },
      { ref: branch, expectedOld: commit, new: null },
    ]);
    if (outcome.kind === "published") return say(commit);
    await git.refresh();
  }
}

async function commitOne(git: GitPort, base: string, number: number): Promise<string> {
  const who = { name, email: `${name}@example.org` };
  const path = `projects/example/team/${name}/${process.pid}-${number}.md`;
  const blob = await git.writeBlob(Buffer.from(`${name} writes ${process.pid} ${number}\n`));
  const changes = [{ path, blob }];
  return git.commitChanges({ parents: [base], changes, author: who, committer: who, at: new Date(), message: path });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const git = await openEmbeddedRepository({ folder, git: null, baseRef: BASE });
  say("ready");
  for (let number = 0; number < Number(commits); number += 1) await write(git, number);
}

void main();
