import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { LIMITS } from "../../../shared/limits.ts";
import type { ProposalOutcome } from "../../../shared/protocol/schemas.ts";
import { memoryText } from "../../support/memory-text.ts";
import type { StubService } from "../stub-service.ts";
import { type Called, type Developer, startWork } from "./support.ts";

const A = memoryText("A", "First.");

describe("status", () => {
  let dev: Developer;
  let service: StubService;

  beforeEach(async () => {
    [dev, service] = await startWork({ "a.md": A, "b.md": memoryText("B") });
  });

  it("of what is as the team has it: in sync, and how fresh the copy is", async () => {
    const status = await dev.call("status");
    expect(status).toMatchObject({ exit: EXIT.ok, data: { failure: null, quarantined: 0, quarantine: [] } });
    expect(statesOf(status)).toEqual({ "a.md": "in_sync", "b.md": "in_sync" });
    expect(status.text).toMatch(/^Checked .* ago$/m);
    expect(service.requests.filter((line) => line.includes("quarantine"))).toEqual([]);
  });

  it("of what changed here: new, changed, missing, to be removed", async () => {
    await dev.write("new.md", memoryText("New"));
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.remove("b.md");
    const status = await dev.call("status");
    expect(statesOf(status)).toEqual({ "a.md": "changed", "b.md": "missing", "new.md": "new" });
    expect(lineOf(status, "b.md")).toMatch(
      /^missing +b\.md \(the next pull brings it back; .*: team-memory rm b\.md\)$/,
    );
    await dev.call("rm b.md");
    expect(statesOf(await dev.call("status"))["b.md"]).toBe("removal");
  });

  it("of what is under review: proposed, with the link", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    const status = await dev.call("status");
    expect(statesOf(status)["a.md"]).toBe("proposed");
    expect(lineOf(status, "a.md")).toContain("http://stub/review/");
    await dev.write("a.md", memoryText("A", "Mine again."));
    expect(statesOf(await dev.call("status"))["a.md"]).toBe("changed");
  });

  it("of a removal that is under review: that it is one", async () => {
    await dev.call("rm b.md");
    await dev.call("push");
    const status = await dev.call("status");
    expect(status.data).toMatchObject({
      files: [
        { key: "a.md", isRemoval: false },
        { key: "b.md", state: "proposed", isRemoval: true },
      ],
    });
    expect(lineOf(status, "b.md")).toMatch(/^proposed +b\.md \(its removal for all; sent .* ago; http/);
  });

  it("of names that can be no key: the reason in words, and the rule", async () => {
    await dev.write("CON.md", memoryText("Device"));
    expect(lineOf(await dev.call("status"), "CON.md")).toMatch(
      /^left alone +CON\.md \(its name has a device name of Windows \(R-WINRES\)\)$/,
    );
  });

  it("of what is under review, whatever the last sync did: still proposed, and since when", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    await dev.write("new.md", memoryText("New"));
    service.answerPut = () => ({ status: 504, body: {} });
    await dev.call("sync");
    const status = await dev.call("status");
    expect(statesOf(status)).toMatchObject({ "a.md": "proposed", "new.md": "new" });
    expect(lineOf(status, "a.md")).toMatch(/\(sent .* ago; http:\/\/stub\/review\//);
    expect(lineOf(status, "new.md")).toContain("it was sent, and no answer came");
    await dev.write("a.md", memoryText("A", "Mine again."));
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(/^changed .*an earlier text of it is under review; http/);
  });

  it.each(["keep-private new.md", "rm new.md"])(
    "of what was approved after %s: the next pull brings it back",
    async (line) => {
      await dev.write("new.md", memoryText("New"));
      await dev.call("push");
      const [{ id } = { id: "" }] = service.puts;
      service.answerPut = () => ({ status: 504, body: {} });
      await dev.call(line);
      service.memories.set("new.md", memoryText("New"));
      service.outcomes.set(id, { state: "merged", seq: 1, reason: null, rejected: [], url: "http://stub/review/1" });
      const status = await dev.call("status");
      expect(lineOf(status, "new.md")).toMatch(
        /^approved meanwhile +new\.md \(the next pull brings it back; to remove it for all after that: team-memory rm new\.md\)$/,
      );
      await dev.call("pull");
      expect(await dev.read("new.md")).toBe(memoryText("New"));
    },
  );

  it("of what was sent and not answered: not under review yet", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.answerPut = () => ({ status: 504, body: {} });
    await dev.call("push");
    expect(statesOf(await dev.call("status"))["a.md"]).toBe("changed");
    service.answerPut = null;
    await dev.call("push");
    expect(statesOf(await dev.call("status"))["a.md"]).toBe("proposed");
  });

  it.each<[string, Pick<ProposalOutcome, "state"> & Partial<ProposalOutcome>, Record<string, string>]>([
    ["open", { state: "open" }, { "a.md": "proposed", "b.md": "proposed", "new.md": "proposed" }],
    ["merged", { state: "merged" }, { "a.md": "merged", "b.md": "merged", "new.md": "merged" }],
    ["merged in part", { state: "merged", rejected: ["a.md"] }, { "a.md": "rejected", "b.md": "merged" }],
    ["open, one said no to", { state: "open", rejected: ["a.md"] }, { "a.md": "rejected", "b.md": "proposed" }],
    ["closed", { state: "closed" }, { "a.md": "rejected", "b.md": "rejected", "new.md": "rejected" }],
  ])("of what a reviewer has decided since the last pull: asks, and changes nothing: %s", async (_, said, states) => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.write("new.md", memoryText("New"));
    await dev.call("rm b.md");
    await dev.call("push");
    const [{ id } = { id: "" }] = service.puts;
    service.outcomes.set(id, { seq: 1, reason: "because", rejected: [], url: "http://stub/review/1", ...said });
    service.requests.length = 0;
    const status = await dev.call("status");
    expect(service.requests).toEqual([expect.stringMatching(/^GET .*\/proposals\/\w+$/)]);
    expect(statesOf(status)).toMatchObject(states);
    expect(status.data).toMatchObject({ proposal: { id, state: said.state, failure: null } });
    if (said.state !== "open") expect((await dev.call("pull")).text).toContain("because");
  });

  it("of what is under review, where the service cannot be asked: as of when", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    service.intercept = (_request, response) => response.destroy() !== undefined;
    const status = await dev.call("status");
    expect(statesOf(status)["a.md"]).toBe("proposed");
    expect(status.text).toMatch(
      /^What is proposed is told as of .* ago, for the service could not be asked now \(\w+\)$/m,
    );
  });

  it("of an empty project: how to begin", async () => {
    const [alone] = await startWork({});
    const { text } = await alone.call("status");
    expect(text).toMatch(/^No memories yet\. .*\n {2}---\n {2}name: [\s\S]*\n {2}---\n.*team-memory sync$/m);
    await alone.write("new.md", memoryText("New"));
    expect((await alone.call("status")).text).not.toContain("No memories yet");
  });

  it("names a memory once where it cannot be proposed", async () => {
    await dev.write("plain.md", "no frontmatter\n");
    for (const line of ["status", "push"]) {
      const said = lineOf(await dev.call(line), "plain.md");
      expect(said.split("plain.md")).toHaveLength(2);
      expect(said).toContain("line 1");
    }
  });

  it("of what the team has without good frontmatter: that it is so, and it can be corrected here", async () => {
    service.memories.set("plain.md", "no frontmatter\n");
    service.tamper = (body) => {
      const upserts = body["upserts"] as { key: string }[];
      const toFace = (of: { key: string }) => (of.key === "plain.md" ? { ...of, description: "", type: null } : of);
      return { ...body, upserts: upserts.map(toFace) };
    };
    await dev.call("pull");
    expect(await dev.read("MEMORY.md")).toContain("(plain.md)");
    const status = await dev.call("status");
    expect(statesOf(status)["plain.md"]).toBe("in_sync");
    expect(lineOf(status, "plain.md")).toContain("its frontmatter is not good");
    expect(lineOf(status, "a.md")).not.toContain("frontmatter");
    await dev.write("plain.md", memoryText("Plain"));
    expect((await dev.call("push")).text).toMatch(/^1 proposed: plain\.md/);
  });

  it("asks nothing where nothing is under review", async () => {
    service.requests.length = 0;
    expect(await dev.call("status")).toMatchObject({ data: { proposal: null } });
    expect(service.requests).toEqual([]);
  });

  it("of what a reviewer closed: rejected, in the reviewer's words", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    const [{ id } = { id: "" }] = service.puts;
    const outcome = { seq: 1, reason: "we decided otherwise", rejected: [], url: "http://stub/review/1" };
    service.outcomes.set(id, { state: "closed", ...outcome });
    const sync = await dev.call("sync");
    expect(sync.text.split("\n").filter((line) => line.includes("a.md"))).toEqual([
      "A reviewer said no to a.md: we decided otherwise (http://stub/review/1)",
    ]);
    const status = await dev.call("status");
    expect(status.exit).toBe(EXIT.attention);
    expect(statesOf(status)["a.md"]).toBe("rejected");
    expect(lineOf(status, "a.md")).toContain("we decided otherwise; change it to propose it anew");
    expect(lineOf(status, "a.md")).toContain("team-memory keep-private a.md");
    await dev.write("a.md", memoryText("A", "Mine, in other words."));
    expect(statesOf(await dev.call("status"))["a.md"]).toBe("changed");
  });

  it("of one key that a reviewer left out of what stays open: rejected, with the word, and the others proposed", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.write("new.md", memoryText("New"));
    await dev.call("sync");
    const [{ id } = { id: "" }] = service.puts;
    const outcome = { state: "open", seq: 1, reason: "not this one", url: "http://stub/review/1" } as const;
    service.outcomes.set(id, { ...outcome, rejected: ["new.md"] });
    expect((await dev.call("sync")).text).toContain("A reviewer said no to new.md: not this one");
    expect(statesOf(await dev.call("status"))).toMatchObject({ "a.md": "proposed", "new.md": "rejected" });
  });

  it("of a removal that a reviewer closed: how to have it back, or to propose it again", async () => {
    await dev.call("rm b.md");
    await dev.call("push");
    const [{ id } = { id: "" }] = service.puts;
    service.outcomes.set(id, { state: "closed", seq: 1, reason: "needed", rejected: [], url: "http://stub/review/1" });
    await dev.call("pull");
    expect(lineOf(await dev.call("status"), "b.md")).toMatch(
      /^rejected +b\.md \(its removal for all; needed; .*restore b\.md; .*push b\.md; http/,
    );
  });

  it("of what may not be proposed here: that the role does not allow it", async () => {
    await dev.write("new.md", memoryText("New"));
    service.answerPut = () => ({ status: 403, body: { error: { code: "forbidden", message: "No", details: {} } } });
    await dev.call("push");
    await dev.call("rm b.md");
    const status = await dev.call("status");
    expect(lineOf(status, "new.md")).toMatch(/^new +new\.md \(your role does not let you propose/);
    expect(lineOf(status, "b.md")).toMatch(/^to be removed +b\.md \(your role does not let you propose/);
  });

  it("of a draft that was never sent and is removed: nothing", async () => {
    await dev.write("new.md", memoryText("New"));
    await dev.call("rm new.md");
    expect(statesOf(await dev.call("status"))).toEqual({ "a.md": "in_sync", "b.md": "in_sync" });
  });

  it("of what the service would not take: refused, with its reason, until it is changed", async () => {
    await dev.write("new.md", memoryText("New"));
    const error = { code: "unprocessable_proposal", message: "No" };
    const keys = [{ key: "new.md", code: "stale_text", message: "The team removed this text" }];
    service.answerPut = (_id, { changes }) =>
      changes.length === 0 ? null : { status: 422, body: { error: { ...error, details: { keys } } } };
    await dev.call("push");
    const status = await dev.call("status");
    expect(statesOf(status)["new.md"]).toBe("refused");
    expect(lineOf(status, "new.md")).toContain("The team removed this text");
    await dev.write("new.md", memoryText("New", "Better."));
    expect(statesOf(await dev.call("status"))["new.md"]).toBe("new");
  });

  it("of what the open proposal alone had no place for: refused, until that proposal ends", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.write("new.md", memoryText("New"));
    const details = { keys: [{ key: "new.md", code: "conflict", message: "The branch has another" }] };
    service.answerPut = (_id, { changes }) =>
      changes.some(({ key }) => key === "new.md")
        ? { status: 409, body: { error: { code: "conflict", message: "No", details } } }
        : null;
    await dev.call("push");
    await dev.call("push");
    expect(statesOf(await dev.call("status"))).toMatchObject({ "a.md": "proposed", "new.md": "refused" });
    const { id, request } = service.puts.at(-1) ?? { id: "", request: { seq: 0 } };
    const outcome = { seq: request.seq, reason: null, rejected: [], url: "http://stub/review/1" };
    service.outcomes.set(id, { state: "merged", ...outcome });
    service.memories.set("a.md", memoryText("A", "Mine."));
    await dev.call("pull");
    expect(statesOf(await dev.call("status"))).toMatchObject({ "a.md": "in_sync", "new.md": "new" });
  });

  it("of both sides' changes that do not merge: conflict, and where mine is", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    const status = await dev.call("status");
    expect(statesOf(status)["a.md"]).toBe("conflict");
    expect(lineOf(status, "a.md")).toMatch(/\(yours is kept; look at both: team-memory conflicts show a\.md\)$/);
    await dev.write("a.md", memoryText("A", "Both."));
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(
      /\(you have written to it since; .* team-memory push KEY; /,
    );
    for (const line of ["sync", "conflicts"]) expect((await dev.call(line)).text).toMatch(/push(ed)? (it by name|KEY)/);
    service.memories.set("a.md", memoryText("A", "Theirs again."));
    await dev.write("a.md", memoryText("A", "Mine again."));
    const sync = await dev.call("sync");
    expect(sync).toMatchObject({ exit: EXIT.attention, data: { pull: { changes: [{ what: "conflict" }] } } });
    expect(sync.text.split("\n").filter((line) => line.includes("a.md"))).toHaveLength(1);
  });

  it("of a conflict whose memory the team has removed since: that it has, for mine still waits", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    service.memories.set("a.md", memoryText("A", "Theirs."));
    await dev.call("pull");
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(
      /; what you sent before is under review until you decide; http/,
    );
    service.memories.delete("a.md");
    await dev.call("pull");
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(/^conflict +a\.md \(the team has removed it since; yours/);
    await dev.call("conflicts resolve a.md --theirs");
    await dev.call("sync");
    expect(statesOf(await dev.call("status"))).toEqual({ "b.md": "in_sync" });
    expect(service.puts.at(-1)?.request.changes).toEqual([]);
    await dev.call("sync");
    expect(await dev.read("a.md")).toBeNull();
  });

  it("of what the team removed and I had changed: removed by the team", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    service.memories.delete("a.md");
    await dev.call("pull");
    const status = await dev.call("status");
    expect(statesOf(status)["a.md"]).toBe("removed_by_team");
    expect(lineOf(status, "a.md")).toContain("team-memory push a.md; let it go: team-memory rm a.md");
    expect((await dev.call("rm a.md")).text).toContain("Removed; the team does not have it: a.md");
  });

  it("of a team folder that is gone: missing, whatever was sent", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.write("new.md", memoryText("New"));
    await dev.call("push");
    await rm(dev.teamDir, { recursive: true });
    const status = await dev.call("status");
    expect(statesOf(status)).toEqual({ "a.md": "missing", "b.md": "missing", "new.md": "missing" });
    expect((await dev.call("push a.md")).text).toContain("Nothing new to send");
    expect((await dev.call("rm b.md")).exit).toBe(EXIT.ok);
  });

  it("of what is in sync again before its proposal has ended: that the next sync takes that back", async () => {
    await dev.write("a.md", memoryText("A", "Mine."));
    await dev.call("push");
    await dev.call("restore a.md");
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(/^in sync +a\.md \(the next sync takes .* review; http/);
    await dev.call("sync");
    expect(lineOf(await dev.call("status"), "a.md")).toMatch(/^in sync +a\.md$/);
  });

  it("of a file that is empty: how the team's text comes back, and it does", async () => {
    await dev.write("a.md", "");
    await dev.write("new.md", "");
    const status = await dev.call("status");
    expect(lineOf(status, "a.md")).toMatch(/^empty .*: team-memory restore a\.md\)$/);
    expect(lineOf(status, "new.md")).toMatch(/^empty .*\(nothing is in it, so there is nothing to propose\)$/);
    await dev.call("restore a.md");
    expect(await dev.read("a.md")).toBe(A);
    await dev.call("rm new.md");
    expect(await dev.read("new.md")).toBeNull();
  });

  it("of what could never be proposed: not valid, with what is wrong and without the text", async () => {
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    await dev.write("secret.md", memoryText("Deploy", `password = "Hunter2-xK9wq7Zt"\n${token}`));
    await dev.write("plain.md", "no frontmatter\n");
    const status = await dev.call("status");
    expect(statesOf(status)).toMatchObject({ "secret.md": "invalid", "plain.md": "invalid" });
    expect(lineOf(status, "secret.md")).toContain("line ");
    expect(JSON.stringify(status)).not.toContain("Hunter2-xK9wq7Zt");
    expect(JSON.stringify(status)).not.toContain(token);
  });

  it("of a name that is a secret: not valid, and only how it begins", async () => {
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    await dev.write(`${token}.md`, memoryText("Deploy"));
    for (const line of ["status", "push", "sync"]) {
      const said = await dev.call(line);
      expect(said.exit).toBe(EXIT.attention);
      expect(lineOf(said, "ghp_")).toContain("its name holds a secret");
      expect(JSON.stringify(said)).not.toContain(token);
    }
    expect(service.puts).toEqual([]);
  });

  it("of a name that is a secret, and a text that is none: neither shows the name", async () => {
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    await dev.write(`${token}.md`, "no frontmatter\n");
    for (const line of ["status", "push", "sync"]) {
      const said = await dev.call(line);
      expect(lineOf(said, "ghp_")).toContain("line 1");
      expect(JSON.stringify(said)).not.toContain(token);
    }
    expect(service.puts).toEqual([]);
  });

  it("names the files in quarantine where there are any, as the service says now", async () => {
    service.tamper = (body) => ({ ...body, quarantined: 1 });
    service.memories.set("c.md", memoryText("C"));
    await dev.call("pull");
    const file = { path: "team/\\u{202e}evil.md", rule: "R-BIDI", reason: "hides what it is" };
    service.intercept = (request, response) => {
      if (!request.url?.endsWith("/quarantine")) return false;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ files: [file] }));
      return true;
    };
    const status = await dev.call("status");
    expect(status.data).toMatchObject({ quarantined: 1, quarantine: [file] });
    expect(lineOf(status, "evil.md")).toContain("R-BIDI; hides what it is");
  });

  it("says how many are in quarantine, and the rest, where the service does not answer", async () => {
    service.tamper = (body) => ({ ...body, quarantined: 3 });
    service.memories.set("c.md", memoryText("C"));
    await dev.call("pull");
    service.intercept = () => true;
    const startedAtMs = Date.now();
    const status = await dev.call("status");
    expect(Date.now() - startedAtMs).toBeLessThan(LIMITS.statusTimeoutMs * 2);
    expect(status).toMatchObject({ exit: EXIT.ok, data: { quarantined: 3, quarantine: null } });
    expect(status.text).toContain("3 of the remote in quarantine");
    expect(statesOf(status)["c.md"]).toBe("in_sync");
  });

  it("says how the last try failed, on the same line as the copy's age", async () => {
    service.intercept = (_request, response) => {
      response.destroy();
      return true;
    };
    await dev.call("pull");
    expect((await dev.call("status")).text).toMatch(/^Checked .* ago; the last try failed: .*unreachable/m);
    service.intercept = null;
    await dev.call("pull");
    expect(await dev.call("status")).toMatchObject({ data: { failure: null } });
  });

  it("knows no age, and hides no failure, where the clock has been set back since; one good pull mends it", async () => {
    const tomorrow = Date.now() / 1_000 + 86_400;
    utimesSync(join(dev.stateFolder, "checked"), tomorrow, tomorrow);
    service.intercept = (_request, response) => Boolean(response.destroy());
    await dev.call("pull");
    const { text } = await dev.call("status");
    expect(text).toMatch(/^Checked at an unknown time, .*; the last try failed: .*unreachable/m);
    service.intercept = null;
    const path = join(dev.stateFolder, "failure.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(/\d{13}/, String(tomorrow * 1_000)));
    await dev.call("pull");
    expect(await dev.call("status")).toMatchObject({ data: { failure: null } });
    expect((await dev.call("status")).text).toMatch(/^Checked .* ago$/m);
  });
});

function statesOf({ data }: Called): Record<string, string> {
  const { files } = data as { files: { key: string; state: string }[] };
  return Object.fromEntries(files.map(({ key, state }) => [key, state]));
}

function lineOf({ text }: Called, key: string): string {
  return text.split("\n").find((line) => line.includes(key)) ?? "";
}
