import { describe, expect, it } from "vitest";
import { invite } from "../../../server/commands/invite.ts";
import { token } from "../../../server/commands/token.ts";
import { readConfig } from "../../../server/config.ts";
import type { ServerIo } from "../../../server/io.ts";
import { writeRemembered } from "../../../server/remembered-settings.ts";
import { openTestFolder } from "../open-test-folder.ts";

interface Printed {
  readonly lines: string[];
  readonly notes: string[];
}

async function folderWithAna() {
  const { dataFolder: data } = await openTestFolder();
  const call = async (
    command: typeof invite,
    values: Record<string, string | readonly string[]>,
    ...positionals: string[]
  ) => {
    const printed: Printed = { lines: [], notes: [] };
    const io = {
      json: false,
      result: (_data: unknown, lines: readonly string[]) => printed.lines.push(...lines),
      err: (line: string) => printed.notes.push(line),
    };
    await command({ values: { data, ...values }, positionals }, io as unknown as ServerIo);
    return printed;
  };
  const { notes } = await call(token, { name: "Ana", email: "ana@example.org" }, "create");
  return { data, call, anaId: /person (\S+)/.exec(notes.join())?.[1] ?? "" };
}

describe("invite", () => {
  it("prints the join lines alone, and beside them whom they are for where that person is known", async () => {
    const { call, anaId } = await folderWithAna();
    for (const whom of [{ email: "ANA@example.org" }, { person: anaId }]) {
      const { lines, notes } = await call(invite, { ...whom, role: "reviewer", count: "2" });
      expect(lines).toMatchObject([expect.stringMatching(/^npx -y /), expect.stringMatching(/^npx -y /)]);
      expect(notes.slice(1)).toEqual([`For Ana <ana@example.org>, person ${anaId}: they get this role besides`]);
    }
    expect((await call(invite, { email: "rita@example.org" })).notes).toHaveLength(1);
  });

  it.each([
    [{}, "Lets one person in, once, as contributor on *"],
    [{ role: "reader", count: "3" }, "Each of 3 lets one person in, once, as reader on *"],
    [
      { role: "reviewer", project: ["github.com/acme/*"] },
      "Lets one person in, once, as reviewer on github.com/acme/*",
    ],
  ])("of %j says to what it lets in, and until when", async (values, words) => {
    const { call } = await folderWithAna();
    const { notes } = await call(invite, values);
    expect(notes.join()).toMatch(/, until 20\d\d-\d\d-\d\dT/);
    expect(notes.join().split(", until")[0]).toBe(words);
  });

  it("links to where the service was last, when it does not run", async () => {
    const { data, call } = await folderWithAna();
    const { toRemember } = readConfig({ data }, {});
    await writeRemembered(data, { ...toRemember, url: "http://127.0.0.1:8123" });
    expect((await call(invite, {})).lines.join()).toContain("npx -y http://127.0.0.1:8123/client.tgz");
    const given = { "public-url": "https://memory.example.org" };
    expect((await call(invite, given)).lines.join()).toContain("npx -y https://memory.example.org/client.tgz");
  });

  it("refuses two words on whom to invite", async () => {
    const { call, anaId } = await folderWithAna();
    await expect(call(invite, { email: "ana@example.org", person: anaId })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("token create", () => {
  it("makes no second person of one address, and names the one who has it", async () => {
    const { call, anaId } = await folderWithAna();
    const again = call(token, { name: "Ana L.", email: "Ana@example.org" }, "create");
    await expect(again).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(`--person ${anaId}`),
    });
  });
});
