import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { people } from "../../../server/commands/people.ts";
import type { ServerIo } from "../../../server/io.ts";
import type { Role } from "../../../shared/protocol/schemas.ts";
import { openTestFolder, SECRET } from "../open-test-folder.ts";

const ANA = "ana@example.org";

/** A team with an admin, and Ana, who has a token and these roles. */
async function openTeam(...grants: readonly { role: Role; projects: string[] }[]) {
  const { dataFolder: data, people: team } = await openTestFolder();
  await writeFile(join(data, "secret"), SECRET);
  await team.createFirstAdmin("tmk_admin");
  const createdAt = new Date(0).toISOString();
  const person = { new: { id: "01ANA", name: "Ana", email: ANA, createdAt } };
  const [first, ...more] = grants;
  const { token } = await team.createToken({ person, grant: first ?? null }, "laptop");
  for (const grant of more) await team.createToken({ person: { id: "01ANA" }, grant }, "laptop");
  const call = async (words: readonly string[], flags: Record<string, unknown> = {}) => {
    const printed: string[] = [];
    const io = { json: false, result: (_data: unknown, lines: readonly string[]) => printed.push(...lines) };
    await people({ values: { data, ...flags }, positionals: words }, io as unknown as ServerIo);
    return printed.join("\n");
  };
  return { call, team, token };
}

const READER = { role: "reader" as const, projects: ["a/*", "b/c"] };

describe("people", () => {
  it("lists everybody with their roles", async () => {
    const { call } = await openTeam(READER);
    expect((await call(["list"])).split("\n")).toEqual([
      expect.stringMatching(/^Admin <\S+> {2}person \S+ {2}admin on \*$/),
      `Ana <${ANA}>  person 01ANA  reader on a/*, b/c`,
    ]);
  });

  it.each([
    { words: ["grant", "01ANA"], flags: { role: "reviewer" }, has: "reviewer on *" },
    {
      words: ["grant", ANA],
      flags: { role: "reviewer", project: ["x/y"] },
      has: "reader on a/*, b/c; reviewer on x/y",
    },
    { words: ["grant", ANA], flags: { role: "reader", project: ["a/z"] }, has: "reader on a/*, b/c" },
    { words: ["take", ANA], flags: { role: "reader" }, has: "no role" },
    { words: ["take", "ANA@example.org"], flags: { role: "reader", project: ["b/c"] }, has: "reader on a/*" },
    { words: ["take", ANA], flags: { role: "reader", project: ["a/*", "b/c"] }, has: "no role" },
  ])("$words with $flags leaves: $has", async ({ words, flags, has }) => {
    const { call } = await openTeam(READER);
    expect(await call(words, flags)).toBe(`Ana <${ANA}>  person 01ANA  ${has}`);
  });

  it.each([
    { words: ["take", ANA], flags: { role: "reviewer" }, code: "not_found", says: "who has reader on a/*, b/c" },
    { words: ["take", ANA], flags: { role: "reader", project: ["a/x"] }, code: "not_found", says: "reader on a/x" },
    { words: ["take", ANA], flags: { role: "reader", project: ["b/c", "x"] }, code: "not_found", says: "b/c, x" },
    { words: ["take", ANA], flags: {}, code: "usage", says: "--role" },
    { words: ["take", ANA], flags: { role: "boss" }, code: "usage", says: "one of reader" },
    { words: ["grant", "01NOBODY"], flags: { role: "reader" }, code: "not_found", says: "01NOBODY" },
    { words: ["remove", "bo@example.org"], flags: {}, code: "not_found", says: "bo@example.org" },
    { words: ["remove"], flags: {}, code: "usage", says: "PERSON" },
  ])("refuses $words with $flags: $code", async ({ words, flags, code, says }) => {
    const { call } = await openTeam(READER);
    await expect(call(words, flags)).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
  });

  it("removes a person for good: token, roles, and the invites to their address, nobody else's", async () => {
    const { call, team, token } = await openTeam(READER);
    const wish = { grant: READER, name: null, origin: "admin" as const };
    await team.createInvites({ ...wish, email: "ANA@example.org" }, 2);
    await team.createInvites({ ...wish, email: "bo@example.org" }, 1);
    expect(await call(["remove", ANA])).toBe("Removed Ana, with tokens, roles and open invites");
    const left = await team.list();
    expect(left.invites.invites.map(({ email }) => email)).toEqual(["bo@example.org"]);
    expect([left.people.people.length, left.tokens.tokens.length]).toEqual([1, 1]);
    expect(await team.authenticate(token)).toBeNull();
  });

  it("leaves the team an admin", async () => {
    const { call } = await openTeam({ role: "reviewer", projects: ["*"] });
    const adminId = /person (\S+)/.exec(await call(["list"]))?.[1] ?? "";
    for (const words of [
      ["remove", adminId],
      ["take", adminId],
    ])
      await expect(call(words, { role: "admin" })).rejects.toMatchObject({ code: "bad_request" });
    await call(["grant", ANA], { role: "admin" });
    await call(["remove", adminId]);
    expect(await call(["list"])).toBe(`Ana <${ANA}>  person 01ANA  admin on *`);
  });
});
