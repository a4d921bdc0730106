import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import type { Commit } from "../../../server/git/port.ts";
import { deriveKey } from "../../../server/secret.ts";
import { toProposalRef } from "../../../server/sync/proposal/refs.ts";
import { toSealLine } from "../../../server/sync/proposal/seal.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { git } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { openMirror, startRemote } from "../git/remote/support.ts";
import { ANA, cloneRemote, merge, openAll, openEngine, type Remote, RITA, SECRET, SHOP, toRequest } from "./support.ts";

const A = memoryText("A");
const DRAFT = memoryText("Draft", "Not for the team.");
const LEAKED = ["gh", "p_k3J9dQ2xW8rT5yU1iO7pA4sD6fG0hL3zX9cV"].join("");

async function openProposal(texts: Record<string, string | null> = { "a.md": A, "draft.md": DRAFT }) {
  const { remote, engine } = await openAll();
  const id = ulid();
  const { proposal } = await engine.putProposal(SHOP, id, toRequest(texts), ANA);
  const put = (seq: number, wanted: Record<string, string | null>) =>
    engine.putProposal(SHOP, id, toRequest(wanted, { seq }), ANA);
  return { remote, engine, id, proposal, put };
}

/** Whether a merge of the proposal's branch with plain git would bring this text into the base's history. */
async function isInBranch({ gitDir }: Pick<Remote, "gitDir">, id: string, text: string): Promise<boolean> {
  return (await git(gitDir, ["rev-list", "--objects", toProposalRef(id)])).includes(blobIdOf(text));
}

describe("what is withdrawn leaves the branch's history", () => {
  it.each([
    { name: "a draft that is no longer in the set", wanted: { "a.md": A } },
    { name: "a draft that got another name", wanted: { "a.md": A, "renamed.md": memoryText("Draft", "For all.") } },
  ])("$name", async ({ wanted }) => {
    const { remote, engine, id, put } = await openProposal();
    await merge(engine, { "other.md": memoryText("Other") });
    const { proposal } = await put(2, wanted);
    expect(proposal.changes.map(({ key }) => key)).toEqual(Object.keys(wanted));
    expect(await isInBranch(remote, id, DRAFT)).toBe(false);
    expect((await engine.proposal(SHOP, id)).checks).toEqual([]);
  });

  it("a draft that was edited before it was withdrawn, with all that it ever said", async () => {
    const { remote, id, put } = await openProposal();
    const edited = memoryText("Draft", "Still not.");
    await put(2, { "a.md": A, "draft.md": edited });
    expect(await isInBranch(remote, id, DRAFT)).toBe(true);
    await put(3, { "a.md": A });
    expect(await isInBranch(remote, id, DRAFT)).toBe(false);
    expect(await isInBranch(remote, id, edited)).toBe(false);
  });

  it("a change of a memory that is to be removed instead", async () => {
    const { remote, engine } = await openAll();
    await merge(engine, { "a.md": A });
    const [id, bases] = [ulid(), { "a.md": blobIdOf(A) }];
    await engine.putProposal(SHOP, id, toRequest({ "a.md": DRAFT }, { bases }), ANA);
    await engine.putProposal(SHOP, id, toRequest({ "a.md": null }, { bases, seq: 2 }), ANA);
    expect(await isInBranch(remote, id, DRAFT)).toBe(false);
  });

  it("a key that a reviewer rejects", async () => {
    const { remote, engine, id } = await openProposal();
    await engine.close(SHOP, id, { keys: ["draft.md"], reason: "No" }, RITA);
    expect(await isInBranch(remote, id, DRAFT)).toBe(false);
    expect((await engine.proposal(SHOP, id)).changes).toMatchObject([{ key: "a.md" }, { state: "rejected" }]);
  });

  it("a text with a secret that a younger rule has found, once it is replaced", async () => {
    const { remote, engine, id, proposal, put } = await openProposal();
    const leaked = memoryText("A", `Use ${LEAKED} here.`);
    const blob = await remote.port.writeBlob(Buffer.from(leaked));
    const head = await amend(remote, proposal.head ?? "", { "a.md": blob });
    await remote.port.publish([{ ref: toProposalRef(id), expectedOld: proposal.head, new: head }]);
    await engine.refresh();
    await put(2, { "a.md": A, "draft.md": DRAFT });
    expect(await isInBranch(remote, id, leaked)).toBe(false);
  });

  it("while a change that is in conflict with the base by now stays proposed", async () => {
    const { remote, engine, id, put } = await openProposal();
    await merge(engine, { "a.md": memoryText("A", "The team's.") });
    const { proposal } = await put(2, { "a.md": A });
    expect(proposal).toMatchObject({ conflicts: ["a.md"], changes: [{ key: "a.md", kind: "added" }] });
    expect(await isInBranch(remote, id, DRAFT)).toBe(false);
  });
});

describe("what is withdrawn after a person's commit", () => {
  it("stays in the history, which the detail says; the commit stays, too", async () => {
    const { remote, engine, id, proposal, put } = await openProposal();
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "a.md": memoryText("A", "Fixed.") });
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    const pushed = { key: "a.md", check: "pushed" };
    expect((await engine.proposal(SHOP, id)).checks).toMatchObject([pushed]);
    const { proposal: next } = await put(2, { "a.md": A });
    expect((await remote.port.readCommit(next.head ?? "")).parents).toEqual([await clone.git("rev-parse", "HEAD")]);
    expect((await engine.proposal(SHOP, id)).checks).toMatchObject([pushed, { key: "draft.md", check: "history" }]);
    expect(await isInBranch(remote, id, DRAFT)).toBe(true);
  });

  it("is no concern of the detail where it is what the base once had", async () => {
    const { remote, engine, id, proposal } = await openProposal({ "a.md": A });
    await merge(engine, { "base.md": memoryText("Base") });
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.git("merge", "-q", "--no-ff", "-m", "Bring it up to date", "origin/main");
    await clone.push(`fix:${toProposalRef(id)}`);
    await engine.refresh();
    expect((await engine.proposal(SHOP, id)).checks).toEqual([]);
  });
});

it("a remote that lets no branch be rewritten has it withdrawn by one more commit, which the detail says", async () => {
  const server = await startRemote();
  await git(server.gitDir, ["config", "receive.denyNonFastForwards", "true"]);
  const mirror = await openMirror(server);
  const engine = await openEngine({ folder: "", gitDir: mirror.gitDir, port: mirror });
  const [id, rejected] = [ulid(), ulid()];
  for (const each of [id, rejected])
    await engine.putProposal(SHOP, each, toRequest({ [`${each}.md`]: A, "draft.md": DRAFT }), ANA);
  const { proposal } = await engine.putProposal(SHOP, id, toRequest({ [`${id}.md`]: A }, { seq: 2 }), ANA);
  expect(proposal.changes.map(({ key }) => key)).toEqual([`${id}.md`]);
  const part = await engine.close(SHOP, rejected, { keys: ["draft.md"], reason: "No" }, RITA);
  expect(part.changes.map(({ state }) => state)).toEqual(["proposed", "rejected"]);
  for (const each of [id, rejected])
    expect((await engine.proposal(SHOP, each)).checks).toMatchObject([{ key: "draft.md", check: "history" }]);
}, 20_000);

/** The same commit of the service, over other texts: as a service of before a rule has made it. */
async function amend({ port }: Remote, id: string, blobs: Record<string, string>): Promise<string> {
  const { parents, author, committer, message } = await port.readCommit(id);
  const changes = Object.entries(blobs).map(([key, blob]) => ({ path: `projects/${SHOP}/team/${key}`, blob }));
  const [parent = ""] = parents;
  const at = committer.at;
  const lastLine = (commit: Omit<Commit, "id">) => toSealLine(deriveKey(SECRET, "commit seal"), commit);
  const words = message.replace(/Team-Memory-Seal.*\n/, "");
  return port.commitChanges({ parents: [parent], changes, author, committer, at, message: words, lastLine });
}
