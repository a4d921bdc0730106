import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { git } from "../../support/git.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, cloneRemote, openAll, openEngine, RITA, SHOP, toRequest } from "./support.ts";

/** In two parts: no scanner of repositories shall find it here. */
const SECRET = ["gh", "p_k3J9dQ2xW8rT5yU1iO7pA4sD6fG0hL3zX9cV"].join("");
/** Project names are in lower case, and so is this kind of token. */
const LOWER = ["glp", "at-k3j9dq2xw8rt5yu1io7p"].join("");
const SPLIT = `${SECRET.slice(0, 12)}\u200b${SECRET.slice(12)}`;

describe("a secret in a proposal (case 31: blocked before any git object exists, the value never named)", () => {
  it.each([
    { name: "the body", key: "a.md", text: memoryText("A", `Log in with ${SECRET}.`) },
    { name: "the frontmatter", key: "a.md", text: memoryText(`A ${SECRET}`) },
    { name: "the key", key: `${SECRET}.md`, text: memoryText("A") },
    { name: "two halves with a zero-width character", key: "a.md", text: memoryText("A", SPLIT) },
    { name: "base64", key: "a.md", text: memoryText("A", Buffer.from(`token: ${SECRET}`).toString("base64")) },
  ])("in $name", async ({ key, text }) => {
    const { remote, engine } = await openAll();
    const before = await git(remote.gitDir, ["count-objects", "-v"]);
    const put = engine.putProposal(SHOP, ulid(), toRequest({ [key]: text }), ANA);
    const error = await put.catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: "unprocessable_proposal",
      details: { keys: [expect.objectContaining({ code: "secret_found" })] },
    });
    expect(
      JSON.stringify((error as { details: { keys: { message: string }[] } }).details.keys[0]?.message),
    ).not.toContain(SECRET);
    expect(await git(remote.gitDir, ["count-objects", "-v"])).toBe(before);
  });

  it("in its title, which would become a commit's message", async () => {
    const { engine } = await openAll();
    const request = { ...toRequest({ "a.md": memoryText("A") }), title: `Use ${SECRET}` };
    await expect(engine.putProposal(SHOP, ulid(), request, ANA)).rejects.toMatchObject({ code: "secret_found" });
  });

  it("in the name of who proposes or approves, which would stand in a commit", async () => {
    const { remote, engine } = await openAll();
    const { proposal } = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": memoryText("A") }), ANA);
    const before = await git(remote.gitDir, ["count-objects", "-v"]);
    const named = { ...ANA, name: `Ana ${SECRET}` };
    const put = engine.putProposal(SHOP, ulid(), toRequest({ "b.md": memoryText("B") }), named);
    await expect(put).rejects.toMatchObject({ code: "secret_found", details: { field: "author" } });
    const approval = engine.approve(SHOP, proposal.id, {}, named);
    await expect(approval).rejects.toMatchObject({ code: "secret_found", details: { field: "reviewer" } });
    expect(await git(remote.gitDir, ["count-objects", "-v"])).toBe(before);
  });

  it("in the project's name, which would become a folder", async () => {
    const { engine } = await openAll();
    const put = engine.putProposal(
      parseProjectName(`github.com/acme/${LOWER}`),
      ulid(),
      toRequest({ "a.md": memoryText("A") }),
      ANA,
    );
    await expect(put).rejects.toMatchObject({ code: "secret_found", details: { field: "project" } });
  });

  it("in the reason of a no, which is kept with the state", async () => {
    const { remote, engine } = await openAll();
    const { proposal } = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": memoryText("A") }), ANA);
    const before = await git(remote.gitDir, ["count-objects", "-v"]);
    const error = await engine.close(SHOP, proposal.id, { reason: `No: ${SECRET}` }, RITA).catch((cause) => cause);
    expect(error).toMatchObject({ code: "secret_found", details: { field: "reason" } });
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET.slice(4, 12));
    expect(await git(remote.gitDir, ["count-objects", "-v"])).toBe(before);
  });

  it("leaves the other keys to be sent", async () => {
    const { engine } = await openAll();
    const texts = { "a.md": memoryText("A", SECRET), "b.md": memoryText("B") };
    await expect(engine.putProposal(SHOP, ulid(), toRequest(texts), ANA)).rejects.toMatchObject({
      details: { keys: [{ key: "a.md" }] },
    });
  });
});

describe("a secret that a person has committed", () => {
  it("to a proposal's branch is not merged", async () => {
    const { remote, engine } = await openAll();
    const { proposal } = await engine.putProposal(SHOP, ulid(), toRequest({ "a.md": memoryText("A") }), ANA);
    const clone = await cloneRemote(remote);
    await clone.git("checkout", "-q", "-b", "fix", `origin/${proposal.branch}`);
    await clone.commit({ "a.md": memoryText("A", SECRET) });
    await clone.push(`fix:${proposal.branch}`);
    await engine.refresh();
    await expect(engine.approve(SHOP, proposal.id, {}, RITA)).rejects.toMatchObject({ code: "unprocessable_proposal" });
  });

  it("to the base is not served: the file is in quarantine, the others are there", async () => {
    const { remote } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ "a.md": memoryText("A", SECRET), "b.md": memoryText("B") });
    await clone.push();
    const engine = await openEngine(remote);
    expect((await engine.quarantine(SHOP)).files).toMatchObject([{ path: "a.md", rule: "R-SECRET" }]);
    expect((await engine.head(SHOP)).memories).toBe(1);
    expect(JSON.stringify(await engine.quarantine(SHOP))).not.toContain(SECRET);
  });

  it.each([
    { name: "file", key: `${SECRET}.md`, shown: "ghp_***" },
    { name: "folder", key: `${SECRET}/a.md`, shown: "ghp_***" },
    { name: "file that is no memory", key: `${SECRET}.txt`, shown: "ghp_***" },
  ])("as the name of a $name is not served, and is masked in the list", async ({ key, shown }) => {
    const { remote } = await openAll();
    const clone = await cloneRemote(remote);
    await clone.commit({ [key]: memoryText("A"), "b.md": memoryText("B") });
    await clone.push();
    const engine = await openEngine(remote);
    expect((await engine.quarantine(SHOP)).files).toMatchObject([{ path: shown }]);
    expect((await engine.head(SHOP)).memories).toBe(1);
  });
});
