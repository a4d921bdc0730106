import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toWhere } from "../../../client/sync/context.ts";
import { readJournal, writeJournal } from "../../../client/sync/state/journal.ts";
import { readState } from "../../../client/sync/state/state.ts";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type Desk, deskWith } from "./support.ts";

const KEY = "deploys.md";
const SERVED = memoryText("Deploys", "From main.");

describe("a journal that names a place in the attic", () => {
  it("is read", async () => {
    const [desk] = await deskWith({ [KEY]: SERVED });
    write(desk, "2026-03-05T10-00-00-000Z-1/removed/deploys.md");
    expect(readJournal(desk.context.stateFolder)?.moves).toMatchObject([{ key: KEY }]);
  });

  it("is gone on from where a client of before wrote it, which named none", async () => {
    const [desk] = await deskWith({ [KEY]: SERVED });
    write(desk, undefined);
    expect(readJournal(desk.context.stateFolder)?.moves).toMatchObject([{ key: KEY, attic: null }]);
    await desk.pull();
    expect(await desk.read(KEY)).toBe(SERVED);
  });

  it.each(["../victim.md", "a/../../victim.md", "/victim.md", "a//b.md", "a\\..\\..\\b.md"])(
    "is taken for damage where that leads out of it: %s",
    async (path) => {
      const [desk] = await deskWith({ [KEY]: SERVED });
      const victim = join(desk.context.stateFolder, "victim.md");
      writeFileSync(victim, "untouched");
      write(desk, path);
      await desk.pull();
      expect(readFileSync(victim, "utf8")).toBe("untouched");
      expect(await desk.read(KEY)).toBe(SERVED);
      expect(existsSync(join(desk.context.stateFolder, "journal.json"))).toBe(false);
    },
  );
});

/** Of one removal. */
function write({ context }: Desk, attic: string | undefined): void {
  const next = readState(context.stateFolder, toWhere(context));
  const move = { key: KEY, temp: null, displaced: blobIdOf(SERVED), base: blobIdOf(SERVED), attic };
  writeJournal(context.stateFolder, { moves: [move as never], next }, false);
}
