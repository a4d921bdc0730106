import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isTeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import { openMirror, type RemoteServer, startWithBase } from "../server/git/remote/support.ts";
import { BASE } from "../server/git/support.ts";
import { openEngine } from "../server/sync/support.ts";
import { git, gitEnvironment } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";
import { mustRun } from "../support/run.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAKER = join(import.meta.dirname, "../fixtures/make-evil-repo.sh");
const LOOK_MS_MAX = 20_000;
const GREW_BYTES_MAX = 300 * 1024 * 1024;

/** Their objects lie beside the remote's own, as if they had been pushed. */
async function addEvilObjects({ gitDir }: RemoteServer): Promise<ReadonlyMap<string, string>> {
  const folder = await tempDir();
  await mustRun("bash", [MAKER, folder], { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
  const evil = join(folder, "evil.git");
  await writeFile(join(gitDir, "objects", "info", "alternates"), `${join(evil, "objects")}\n`);
  const listed = await git(evil, ["for-each-ref", "--format=%(refname:short) %(tree)", "refs/heads/"]);
  return new Map(
    listed
      .trim()
      .split("\n")
      .map((line) => line.split(" ") as [string, string]),
  );
}

/** The base goes on to a commit in which the project's folder is this tree, with a good file more. */
function commitTeam({ gitDir }: RemoteServer, project: string, tree: string, good: string): string {
  const run = (args: readonly string[], input: string | Buffer = "") => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    const options = { cwd: gitDir, env: gitEnvironment(gitDir), input, maxBuffer: 64 * 1024 * 1024 };
    const { status, stdout, stderr } = spawnSync("git", [...who, ...args], options);
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const text = (...call: Parameters<typeof run>) =>
    run(...call)
      .toString()
      .trim();
  const blob = text(["hash-object", "-w", "--stdin"], good);
  const entry = Buffer.concat([Buffer.from("100644 a-good.md\0"), Buffer.from(blob, "hex")]);
  const raw = Buffer.concat([run(["cat-file", "tree", tree]), entry]);
  const team = text(["hash-object", "--literally", "-w", "-t", "tree", "--stdin"], raw);
  const parent = text(["rev-parse", BASE]);
  const folder = text(["mktree"], `040000 tree ${team}\tteam\n`);
  const others = run(["ls-tree", `${parent}:projects`]).toString();
  const projects = text(["mktree"], `${others}040000 tree ${folder}\t${project}\n`);
  const root = text(["mktree"], `040000 tree ${projects}\tprojects\n`);
  const commit = text(["commit-tree", root, "-p", parent, "-m", "Hostile"]);
  text(["update-ref", BASE, commit]);
  return parent;
}

it("hostile trees come from the remote one by one: the good file is served, what is bad is listed with its reason", async () => {
  const { remote } = await startWithBase();
  const evil = await addEvilObjects(remote);
  expect(evil.size).toBeGreaterThan(40);
  const mirror = await openMirror(remote);
  const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port: mirror });
  const good = memoryText("Good", "it is served", "feedback");
  const memoryBefore = process.memoryUsage().rss;
  const unlisted: string[] = [];
  const unfetched: string[] = [];
  for (const [branch, tree] of evil) {
    const project = parseProjectName(branch.toLowerCase());
    const parent = commitTeam(remote, project, tree, good);
    const startedAt = performance.now();
    try {
      await engine.refresh();
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      unfetched.push(branch);
      await git(remote.gitDir, ["update-ref", BASE, parent]);
      continue;
    }
    const { body } = await engine.memories(project, { proposals: [] });
    expect(
      body.upserts.map(({ key }) => key),
      branch,
    ).toContain("a-good.md");
    const { files } = await engine.quarantine(project);
    for (const { rule, reason } of files)
      expect(
        [rule, reason].every((words) => words.length > 0),
        branch,
      ).toBe(true);
    if (files.length === 0) unlisted.push(branch);
    expect(performance.now() - startedAt, branch).toBeLessThan(LOOK_MS_MAX);
  }
  expect(unlisted.sort()).toEqual(["executable", "good", "unsorted"]);
  // Trees that git itself cannot walk: it hands the commit to nobody, and the last good base stays.
  for (const branch of unfetched) expect(["empty-name", "null-oid", "type-mismatch"]).toContain(branch);
  expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(GREW_BYTES_MAX);
}, 150_000);
