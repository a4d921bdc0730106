import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openStateFiles, STATE_REF, type StateFile } from "../../../server/state/state-files.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { git as runGit } from "../../support/git.ts";
import { openTestFolder } from "../open-test-folder.ts";

const counter: StateFile<{ count: number }> = {
  name: "counter.json",
  parse: (json) => z.strictObject({ count: z.number() }).parse(json),
  empty: { count: 0 },
};
const names: StateFile<{ names: string[] }> = {
  name: "names.json",
  parse: (json) => z.strictObject({ names: z.array(z.string()) }).parse(json),
  empty: { names: [] },
};
const addOne = (value: { count: number }) => ({ value: { count: value.count + 1 }, result: value.count + 1 });

describe("openStateFiles", () => {
  it("reads a file that nobody has written as its empty value", async () => {
    const { state } = await openTestFolder();
    expect(await state.read(counter)).toBe(counter.empty);
  });

  it("gives back what was written, to this process and to another one", async () => {
    const { state, dataFolder } = await openTestFolder();
    expect(await state.update(counter, addOne)).toBe(1);
    expect(await state.read(counter)).toEqual({ count: 1 });
    const other = await openTestFolder(dataFolder);
    expect(await other.state.read(counter)).toEqual({ count: 1 });
  });

  it("notices what another process writes, and gives the same object as long as nothing changes", async () => {
    const { state, dataFolder } = await openTestFolder();
    const other = await openTestFolder(dataFolder);
    await other.state.update(counter, addOne);
    const seen = await state.read(counter);
    expect(seen).toEqual({ count: 1 });
    await other.state.update(names, ({ names: before }) => ({ value: { names: [...before, "Ana"] }, result: null }));
    expect(await state.read(counter)).toBe(seen);
  });

  it("loses no write of two processes that write at once, the first commit of all among them", async () => {
    const { state, dataFolder } = await openTestFolder();
    const other = await openTestFolder(dataFolder);
    const writes = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? state : other.state).update(counter, addOne));
    const results = await Promise.all(writes);
    expect([...results].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await state.read(counter)).toEqual({ count: 10 });
  });

  it("writes several files in one commit", async () => {
    const { state, git } = await openTestFolder();
    await state.updateTogether({ counter, names }, () => ({
      value: { counter: { count: 7 }, names: { names: ["Ana"] } },
      result: null,
    }));
    const commit = await git.readCommit((await git.readRef(STATE_REF)) ?? "");
    expect(commit.parents).toEqual([]);
    expect(commit.message).toBe("Write counter.json, names.json\n");
    expect(await state.readTogether({ counter, names })).toEqual({ counter: { count: 7 }, names: { names: ["Ana"] } });
  });

  it("writes nothing when the value stays, and nothing when the change throws", async () => {
    const { state, git } = await openTestFolder();
    await state.update(counter, addOne);
    const before = await git.readRef(STATE_REF);
    expect(await state.update(counter, (value) => ({ value, result: "same" }))).toBe("same");
    const refusal = new Error("no");
    await expect(
      state.update(counter, () => {
        throw refusal;
      }),
    ).rejects.toBe(refusal);
    expect(await git.readRef(STATE_REF)).toBe(before);
    expect(await state.update(counter, addOne)).toBe(2);
  });

  it("keeps readable JSON that plain git shows", async () => {
    const { state, git } = await openTestFolder();
    await state.update(counter, addOne);
    const args = ["--git-dir", git.gitDir, "show", `${STATE_REF}:counter.json`];
    expect(await runGit(git.gitDir, args)).toBe('{\n  "count": 1\n}');
  });

  it.each([
    { name: "not JSON", text: "{" },
    { name: "another shape", text: '{"count":"1"}' },
    { name: "not UTF-8", text: Buffer.from([0x22, 0xff, 0x22]) },
    { name: "over the bound", text: Buffer.alloc(LIMITS.stateFileSizeBytesMax + 1, 0x20) },
  ])("answers repository_damaged for a file that is $name", async ({ text }) => {
    const { git, clock } = await openTestFolder();
    const blob = await git.writeBlob(Buffer.from(text));
    const author = { name: "x", email: "x@example.org" };
    const request = { author, committer: author, at: new Date(), message: "x\n" };
    const commit = await git.commitRoot({ ...request, changes: [{ path: counter.name, blob }] });
    await git.publish([{ ref: STATE_REF, expectedOld: null, new: commit }]);
    const state = openStateFiles(git, clock);
    await expect(state.read(counter)).rejects.toMatchObject({
      code: "repository_damaged",
      details: { file: "counter.json" },
    });
  });

  it("refuses to write a file past its bound, which could never be read again", async () => {
    const { state } = await openTestFolder();
    const long = "x".repeat(LIMITS.stateFileSizeBytesMax);
    const write = state.update(names, () => ({ value: { names: [long] }, result: null }));
    await expect(write).rejects.toMatchObject({ code: "too_large" });
    expect(await state.read(names)).toEqual({ names: [] });
  });
});
