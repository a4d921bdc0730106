import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { base } from "../../../server/commands/base.ts";
import { openRepository } from "../../../server/commands/open-folder.ts";
import { readConfig } from "../../../server/config.ts";
import type { ServerIo } from "../../../server/io.ts";
import { BASES_FILE } from "../../../server/sync/world/bases-file.ts";
import type { Hold } from "../../../server/sync/world/hold.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startRemote } from "../git/remote/support.ts";
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
  return callWith({ data }, ...positionals);
}

async function callWith(values: Readonly<Record<string, string>>, ...positionals: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const io = { json: false, result: (_data: unknown, lines: readonly string[]) => printed.push(...lines) };
  await base({ values, positionals }, io as unknown as ServerIo);
  return printed.join("\n");
}

/** The data folder's own repository, and a remote at this path besides. */
async function withRemote(data: string, url: string) {
  const config = join(await tempDir(), "remotes.yaml");
  const other = { name: "other", url, folder: dirname(url), projects: ["*"] };
  await writeFile(config, JSON.stringify({ remotes: [{ name: "own", projects: ["github.com/acme/*"] }, other] }));
  return { data, config };
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

  it("looks at every remote: accepts on the one that holds it, and names one that cannot be looked at", async () => {
    const { dataFolder } = await openTestFolder();
    const { gitDir } = await startRemote();
    const values = await withRemote(dataFolder, gitDir);
    const config = readConfig(values, {});
    const [, other] = config.remotes;
    if (other === undefined) throw new Error("no second remote");
    const { state } = await openRepository(config, other);
    await state.update(BASES_FILE, (bases) => ({ value: { ...bases, held: [HOLD] }, result: undefined }));
    expect(await callWith(values, "show")).toContain(`base accept ${HOLD.revision}`);
    expect(await callWith(values, "accept", HOLD.to ?? "")).toContain("Accepted: the base was rewritten");
    expect(await callWith(values, "show")).toBe("Nothing is held");

    const gone = await withRemote(dataFolder, join(await tempDir(), "nowhere.git"));
    expect(await callWith(gone, "show")).toMatch(/^Nothing is held\nother: not looked at: /);
    await expect(callWith(gone, "accept", HOLD.to ?? "")).rejects.toMatchObject({
      code: expect.stringMatching(/^remote_/),
    });
  });

  it.each([[["drop"]], [["accept"]]])("refuses %s as wrong use", async (words) => {
    const { dataFolder } = await openTestFolder();
    await expect(call(dataFolder, ...words)).rejects.toMatchObject({ code: "usage" });
  });
});
