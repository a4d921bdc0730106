import { readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { backup } from "../../../server/commands/backup.ts";
import { openFolder } from "../../../server/commands/open-folder.ts";
import { restore } from "../../../server/commands/restore.ts";
import { readConfig } from "../../../server/config.ts";
import type { ServerIo } from "../../../server/io.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { commitOnRemote, startRemote } from "../git/remote/support.ts";
import { BASE } from "../git/support.ts";

/** Whose people are in the data folder's own repository, and which has a remote besides. */
async function openService(url?: string) {
  const remote = await startRemote();
  await commitOnRemote(remote, BASE, "projects/p/team/a.md", "a\n");
  const data = join(await tempDir(), "data");
  const config = join(await tempDir(), "remotes.yaml");
  const other = { name: "other", url: url ?? remote.gitDir, folder: dirname(url ?? remote.gitDir), projects: ["*"] };
  await writeFile(config, JSON.stringify({ remotes: [{ name: "own", projects: ["github.com/acme/*"] }, other] }));
  const { people } = await openFolder(readConfig({ data, config }, {}));
  await people.createFirstAdmin("tmk_test-token-of-the-admin");
  return { values: { data, config }, out: await tempDir() };
}

const IO = { json: false, result: () => {}, err: () => {} } as unknown as ServerIo;

describe("backup of a service with several remotes", () => {
  it("writes a whole backup of each, which restore makes a data folder of", async () => {
    const { values, out } = await openService();
    const file = join(out, "memory.backup");
    expect(await backup({ values, positionals: [file] }, IO)).toBe(0);
    expect((await readdir(out)).sort()).toEqual(["memory.backup", "memory.backup.other"]);
    const [data, further] = [join(out, "data"), join(out, "further")];
    await restore({ values: { data }, positionals: [file] }, IO);
    await restore({ values: { data: further }, positionals: [`${file}.other`] }, IO);
    const { people } = await openFolder(readConfig({ data }, {}));
    expect((await people.list()).people.people).toHaveLength(1);
    expect(await git(join(further, "memory.git"), ["ls-tree", "-r", "--name-only", BASE])).toContain(
      "projects/p/team/a.md",
    );
    await expect(backup({ values, positionals: [file] }, IO)).rejects.toMatchObject({ code: "target_exists" });
  });

  it("writes nothing where one of them cannot be read", async () => {
    const { values, out } = await openService("/nowhere/at/all/memory.git");
    await expect(backup({ values, positionals: [join(out, "memory.backup")] }, IO)).rejects.toMatchObject({
      code: expect.stringMatching(/^remote_/),
    });
    expect(await readdir(out)).toEqual([]);
  });
});
