import { describe, expect, it } from "vitest";
import type { Commit } from "../../../server/git/port.ts";
import { deriveKey } from "../../../server/secret.ts";
import { hasSeal, toSealLine } from "../../../server/sync/proposal/seal.ts";
import { openMemoryGit } from "../../contract/memory-git.ts";
import { SECRET } from "./support.ts";

const KEY = deriveKey(SECRET, "commit seal");
const WHO = { name: "Ana Author", email: "ana@example.org" };
const AT = new Date("2026-03-05T10:00:00.500Z");

async function sealedCommit(message = "Subject\n\nTeam-Memory-Person: ana\n", author = WHO): Promise<Commit> {
  const git = await openMemoryGit();
  const parents = [(await git.readRef("refs/heads/main")) ?? ""] as const;
  const lastLine = (commit: Omit<Commit, "id">) => toSealLine(KEY, commit);
  const request = { parents, changes: [], author, committer: WHO, at: AT, message, lastLine };
  return git.readCommit(await git.commitChanges(request));
}

describe("a commit's seal", () => {
  it.each([
    { name: "plain words", message: "Subject\n\nTeam-Memory-Person: ana\n", author: WHO },
    { name: "words that git cleans", message: "Subject  \r\n\n\n\nBody\u0007", author: { ...WHO, name: " <Ana\n>, " } },
    { name: "no words", message: "", author: { name: "", email: "" } },
    { name: "a seal in the words", message: `S\n\nTeam-Memory-Seal: ${"0".repeat(64)}\n`, author: WHO },
  ])("holds when the commit is read back: $name", async ({ message, author }) => {
    const commit = await sealedCommit(message, author);
    expect(hasSeal(KEY, commit)).toBe(true);
  });

  it("is a trailer among the others", async () => {
    expect((await sealedCommit()).message).toMatch(/\nTeam-Memory-Person: ana\nTeam-Memory-Seal: [0-9a-f]{64}\n$/);
  });

  const other = "f".repeat(40);
  it.each<{ name: string; change: (commit: Commit) => Partial<Commit> }>([
    { name: "other texts", change: () => ({ tree: other }) },
    { name: "another parent", change: () => ({ parents: [other] }) },
    { name: "one more parent", change: ({ parents }) => ({ parents: [...parents, other] }) },
    { name: "no parent", change: () => ({ parents: [] }) },
    { name: "another name", change: ({ author }) => ({ author: { ...author, name: "Ben" } }) },
    { name: "another address", change: ({ author }) => ({ author: { ...author, email: "ben@example.org" } }) },
    { name: "another time", change: ({ author }) => ({ author: { ...author, at: new Date(0) } }) },
    { name: "another committer", change: ({ committer }) => ({ committer: { ...committer, name: "Ben" } }) },
    { name: "another person", change: ({ message }) => ({ message: message.replace("ana", "ben") }) },
    { name: "a word before", change: ({ message }) => ({ message: `x${message}` }) },
    { name: "a word after", change: ({ message }) => ({ message: `${message}Signed-off-by: B <b@x>\n` }) },
    { name: "no seal", change: ({ message }) => ({ message: message.replace(/Team-Memory-Seal.*\n/, "") }) },
    {
      name: "a seal of letters",
      change: ({ message }) => ({ message: message.replace(/[0-9a-f]{64}/, "z".repeat(64)) }),
    },
    { name: "a guessed seal", change: ({ message }) => ({ message: message.replace(/[0-9a-f]{64}/, "0".repeat(64)) }) },
    { name: "a cut seal", change: ({ message }) => ({ message: `${message.slice(0, -3)}\n` }) },
  ])("does not hold with $name", async ({ change }) => {
    const commit = await sealedCommit();
    expect(hasSeal(KEY, { ...commit, ...change(commit) })).toBe(false);
  });

  it("does not hold for another secret, nor for the secret itself as a key", async () => {
    const commit = await sealedCommit();
    expect(hasSeal(deriveKey("another secret of thirty-two characters", "commit seal"), commit)).toBe(false);
    expect(hasSeal(Buffer.from(SECRET), commit)).toBe(false);
  });
});
