import { ulid } from "ulid";
import { expect, it } from "vitest";
import { openMirror, startRemote, writeHook } from "../server/git/remote/support.ts";
import { openEngine, person, SHOP, toRequest } from "../server/sync/support.ts";
import { assertSound, git } from "../support/git.ts";
import { memoryText } from "../support/memory-text.ts";

const COUNT = 200;
const PUSH = "POST /git-receive-pack";

it("200 people propose at once to a remote over http, each twice: all land, none twice, in few pushes", async () => {
  const remote = await startRemote();
  const mirror = await openMirror(remote);
  const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port: mirror });
  const puts = Array.from({ length: COUNT }, (_, at) => ({
    id: ulid(),
    set: toRequest({ [`k${at}.md`]: memoryText(`K${at}`, `about ${at}`, "feedback") }),
    who: person(`p${at}`, `Person ${at}`),
  }));
  // One is refused by a hook, one by us, and neither is anybody else's affair.
  const [refused] = puts;
  await writeHook(remote, "update", `case "$1" in *${refused?.id}) echo "not this one" >&2; exit 1;; esac`);
  const wrong = engine.putProposal(SHOP, ulid(), toRequest({ "../out.md": "no memory" }), person("w", "Wrong"));
  const wrongly = expect(wrong).rejects.toMatchObject({ code: "unprocessable_proposal" });
  const before = remote.requests.length;
  const settled = await Promise.allSettled(
    [...puts, ...puts].map(({ id, set, who }) => engine.putProposal(SHOP, id, set, who)),
  );
  await wrongly;
  const failed = settled.filter(({ status }) => status === "rejected");
  expect(failed.map((one) => one.status === "rejected" && one.reason.code)).toEqual(Array(2).fill("remote_refused"));
  const created = settled.filter((one) => one.status === "fulfilled" && one.value.created);
  expect(created).toHaveLength(COUNT - 1);
  expect(await engine.listProposals(SHOP)).toHaveLength(COUNT - 1);

  const listed = await git(remote.gitDir, ["for-each-ref", "--format=%(refname)", "refs/heads/team-memory/"]);
  const wanted = puts.slice(1).map(({ id }) => `refs/heads/team-memory/${id}`);
  expect(listed.trim().split("\n").sort()).toEqual(wanted.sort());
  const commits = await git(remote.gitDir, [
    "rev-list",
    "--count",
    "--all",
    "--not",
    "main",
    "--glob=refs/team-memory/*",
  ]);
  expect(Number(commits)).toBe(COUNT - 1);
  expect(remote.requests.slice(before).filter((line) => line === PUSH).length).toBeLessThan(COUNT / 5);
  await assertSound(remote.gitDir);
}, 180_000);
