import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMarks } from "../../../../client/sync/state/marks-file.ts";
import { removeKey, restoreKey } from "../../../../client/sync/wish/edit-key.ts";
import { sanitizePathKey } from "../../../../shared/path/sanitize-path-key.ts";
import { memoryText } from "../../../support/memory-text.ts";
import { deskWith } from "../support.ts";

const KEY = sanitizePathKey("a.md");

describe("removeKey", () => {
  it("proposes no removal of a text that was never in place here, and takes nothing away", async () => {
    const [desk, service] = await deskWith({});
    const path = join(desk.context.teamDir, KEY);
    await mkdir(path);
    service.memories.set(KEY, memoryText("Theirs"));
    expect((await desk.pull()).unplaced).toEqual([{ key: KEY, because: "not_a_file" }]);
    await rm(path, { recursive: true });
    await desk.write(KEY, memoryText("Mine"));
    await expect(removeKey(desk.context, KEY)).rejects.toMatchObject({ code: "conflict" });
    expect(await desk.read(KEY)).toBe(memoryText("Mine"));
    expect(readMarks(desk.context.stateFolder).get(KEY)?.removal).toBeUndefined();
  });
});

describe("restoreKey", () => {
  it("brings back this text of what the team removed, and no later one that it removes again", async () => {
    const [desk, service] = await deskWith({ [KEY]: memoryText("Theirs") });
    service.memories.delete(KEY);
    await desk.pull();
    await restoreKey(desk.context, KEY);
    await desk.push();
    expect(service.puts.at(-1)?.request.restore).toEqual([KEY]);
    await desk.write(KEY, memoryText("Mine"));
    await desk.push();
    expect(service.puts.at(-1)?.request).not.toHaveProperty("restore");
  });

  it("of a proposed memory whose file was swept away brings back what is proposed, not an older text", async () => {
    const [desk] = await deskWith({ "b.md": memoryText("Other") });
    await desk.write(KEY, memoryText("First"));
    await removeKey(desk.context, KEY);
    await desk.write(KEY, memoryText("Proposed"));
    await desk.push();
    await rm(join(desk.context.teamDir, KEY));
    await restoreKey(desk.context, KEY);
    expect(await desk.read(KEY)).toBe(memoryText("Proposed"));
  });
});
