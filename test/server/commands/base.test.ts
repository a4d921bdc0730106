import { describe, expect, it } from "vitest";
import { base } from "../../../server/commands/base.ts";
import type { ServerIo } from "../../../server/io.ts";
import { BASES_FILE } from "../../../server/sync/world/bases-file.ts";
import type { Hold } from "../../../server/sync/world/hold.ts";
import { openTestFolder } from "../open-test-folder.ts";

const HOLD: Hold = {
  project: null,
  from: "1".repeat(40),
  to: "2".repeat(40),
  revision: "2".repeat(40),
  lost: 0,
  of: 0,
};

async function call(data: string, ...positionals: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const io = { json: false, result: (_data: unknown, lines: readonly string[]) => printed.push(...lines) };
  await base({ values: { data }, positionals }, io as unknown as ServerIo);
  return printed.join("\n");
}

describe("base", () => {
  it("shows what is held and how to accept it, and accepts it beside a service that runs", async () => {
    const { dataFolder, state } = await openTestFolder();
    expect(await call(dataFolder, "show")).toBe("Nothing is held");
    await state.update(BASES_FILE, (bases) => ({ value: { ...bases, held: [HOLD] }, result: undefined }));
    expect(await call(dataFolder, "show")).toContain(`base accept ${HOLD.revision}`);
    await expect(call(dataFolder, "accept", HOLD.from)).rejects.toMatchObject({ code: "not_found" });
    expect(await call(dataFolder, "accept", HOLD.to ?? "")).toContain("Accepted: the base was rewritten");
    const { held, accepted } = await state.read(BASES_FILE);
    expect([held, accepted.map(({ by }) => by)]).toEqual([[], ["team-memory-server"]]);
  });

  it.each([[["drop"]], [["accept"]]])("refuses %s as wrong use", async (words) => {
    const { dataFolder } = await openTestFolder();
    await expect(call(dataFolder, ...words)).rejects.toMatchObject({ code: "usage" });
  });
});
