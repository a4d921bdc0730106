import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStartInvite } from "../../../server/people/start-invite.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { openTestFolder } from "../open-test-folder.ts";

type Folder = Awaited<ReturnType<typeof openTestFolder>>;

const start = ({ people, dataFolder }: Folder) => openStartInvite(people, dataFolder);

describe("openStartInvite", () => {
  it("gives every start the same invite while nobody has used it, and keeps its code from others", async () => {
    const folder = await openTestFolder();
    const first = await start(folder);
    expect(await start(await openTestFolder(folder.dataFolder))).toMatchObject({ code: first.code });
    expect((await folder.people.list()).invites.invites).toHaveLength(1);
    expect((await stat(join(folder.dataFolder, "start-invite"))).mode & 0o077).toBe(0);
  });

  const SPOILS: Readonly<Record<string, (folder: Folder, code: string) => Promise<unknown>>> = {
    "was used": ({ people }, code) => people.redeem({ code }),
    "was taken back": async ({ people }) => people.revoke((await people.list()).invites.invites[0]?.id ?? ""),
    "has expired": async ({ time }) => (time.now = new Date(time.now.getTime() + LIMITS.inviteLifetimeMs)),
    "has lost its file's end": ({ dataFolder }, code) => writeFile(join(dataFolder, "start-invite"), code.slice(1)),
    "was never shown, the start having been killed": ({ dataFolder }) =>
      writeFile(join(dataFolder, "start-invite"), ""),
  };

  it.each(Object.entries(SPOILS))("makes one that works in place of one that %s", async (_name, spoil) => {
    const folder = await openTestFolder();
    const { code } = await start(folder);
    await spoil(folder, code);
    const next = await start(folder);
    expect(next.code).not.toBe(code);
    expect(await readFile(join(folder.dataFolder, "start-invite"), "utf8")).toBe(`${next.code}\n`);
    expect((await folder.people.list()).invites.invites).toHaveLength(1);
    await expect(folder.people.redeem({ code: next.code })).resolves.toBeDefined();
    await expect(folder.people.redeem({ code })).rejects.toMatchObject({ code: "invite_invalid" });
  });
});
