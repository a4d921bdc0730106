import { describe, expect, it, vi } from "vitest";
import { openPeople, type People } from "../../../server/people/open-people.ts";
import { STATE_REF } from "../../../server/state/state-files.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import type { Role } from "../../../shared/protocol/schemas.ts";
import { git as runGit } from "../../support/git.ts";
import { openTestFolder, SECRET } from "../open-test-folder.ts";

const SHOP = parseProjectName("github.com/acme/shop");
const DAY_MS = 24 * 60 * 60 * 1_000;

interface Wish {
  role?: Role;
  projects?: string[];
  name?: string;
  email?: string;
  personId?: string;
}

async function inviteOne(people: People, { role = "contributor", projects = ["*"], name, email, personId }: Wish = {}) {
  const named = { name: name ?? null, email: email ?? null, personId: personId ?? null };
  const [invited] = await people.createInvites({ grant: { role, projects }, ...named, origin: "admin" }, 1);
  return invited!;
}

describe("redeem", () => {
  it("makes a person and a token that works, and nothing of an invite is left", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people, { projects: ["github.com/acme/*"] });
    const { token, person, grant } = await people.redeem({
      code,
      name: "Ana Lima",
      email: "ana@example.org",
      machine: "laptop",
    });
    expect(grant).toEqual({ role: "contributor", projects: ["github.com/acme/*"] });
    expect(token).toMatch(/^tmt_[A-Za-z0-9_-]{43}$/);
    const principal = await people.authenticate(token);
    expect(principal?.person).toEqual({ id: person.id, name: "Ana Lima", email: "ana@example.org" });
    expect(principal?.roleOn(SHOP)).toBe("contributor");
    expect(principal?.roleOnAll).toBeNull();
    expect((await people.list()).invites.invites).toEqual([]);
    expect((await people.list()).tokens.tokens).toMatchObject([{ personId: person.id, machine: "laptop" }]);
  });

  it("works once, also for two at the same moment", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people);
    const joins = await Promise.allSettled([people.redeem({ code }), people.redeem({ code }), people.redeem({ code })]);
    expect(joins.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const join of joins)
      if (join.status === "rejected") expect(join.reason).toMatchObject({ code: "invite_invalid" });
  });

  it.each([
    { name: "at the end of its life", ageMs: LIMITS.inviteLifetimeMs, works: false },
    { name: "a moment before", ageMs: LIMITS.inviteLifetimeMs - 1, works: true },
  ])("answers $works for an invite $name", async ({ ageMs, works }) => {
    const { people, time } = await openTestFolder();
    const { code } = await inviteOne(people);
    time.now = new Date(time.now.getTime() + ageMs);
    const joined = people.redeem({ code });
    await (works
      ? expect(joined).resolves.toBeDefined()
      : expect(joined).rejects.toMatchObject({ code: "invite_invalid" }));
  });

  it("says the same of an unknown code as of a used one", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people);
    await people.redeem({ code });
    const messages = await Promise.all(
      [code, `${code}x`].map((tried) => people.redeem({ code: tried }).catch((e: Error) => e.message)),
    );
    expect(messages[0]).toBe(messages[1]);
  });

  it.each([
    { name: "another project", projects: ["github.com/other/shop"], works: false },
    { name: "a fork, its upstream being one of the invite's", projects: ["github.com/ana/shop", SHOP], works: true },
    { name: "nothing that it names", projects: undefined, works: true },
  ])("is used up in a clone of $name: $works", async ({ projects, works }) => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people, { projects: ["github.com/acme/*"] });
    const joined = people.redeem({ code, ...(projects && { projects }) });
    await (works
      ? expect(joined).resolves.toBeDefined()
      : expect(joined).rejects.toMatchObject({
          code: "invite_elsewhere",
          message: "Could not join github.com/other/shop: the invite is for github.com/acme/*",
        }));
    expect((await people.list()).invites.invites).toHaveLength(works ? 0 : 1);
  });

  it("says of a bad code nothing about projects", async () => {
    const { people } = await openTestFolder();
    await inviteOne(people, { projects: ["github.com/acme/*"] });
    const joined = people.redeem({ code: "a guess of a code", projects: ["github.com/other/shop"] });
    await expect(joined).rejects.toMatchObject({ code: "invite_invalid" });
  });

  it("takes name and address from the invite where it names them", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people, { name: "Rita", email: "rita@example.org" });
    const { person } = await people.redeem({ code, name: "Eve", email: "eve@example.org" });
    expect(person).toMatchObject({ name: "Rita", email: "rita@example.org" });
  });

  it("adds a token and the role to the person whom the invite names", async () => {
    const { people } = await openTestFolder();
    const first = await people.redeem({
      code: (await inviteOne(people, { role: "reader", email: "ana@example.org" })).code,
    });
    const { code } = await inviteOne(people, { role: "reviewer", email: "Ana@Example.org" });
    const second = await people.redeem({ code });
    expect(second.person.id).toBe(first.person.id);
    expect((await people.authenticate(first.token))?.roleOnAll).toBe("reviewer");
    expect((await people.list()).people.people).toHaveLength(1);
  });

  it("refuses a name that would forge an author line, and leaves the invite usable", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people);
    await expect(people.redeem({ code, name: "Ana <x@y>" })).rejects.toMatchObject({ code: "bad_request" });
    await expect(people.redeem({ code, name: "Ana" })).resolves.toBeDefined();
  });

  it("gives a person without name and address ones that git can write", async () => {
    const { people } = await openTestFolder();
    const { person } = await people.redeem({ code: (await inviteOne(people)).code });
    expect(person.name).toBe("Teammate");
    expect(person.email).toMatch(/^[0-9a-z]{26}@team-memory\.invalid$/);
  });
});

describe("redeem with a token that the caller has", () => {
  const joinAs = async (people: People, wish: Wish, token: string) =>
    people.redeem({ code: (await inviteOne(people, wish)).code, name: "Other", machine: "desk" }, token);

  it("keeps the person and the token, adds the role, and uses the invite up", async () => {
    const { people } = await openTestFolder();
    const first = await people.redeem({ code: (await inviteOne(people, { role: "reader" })).code, name: "Ana" });
    const again = await joinAs(people, { role: "reviewer" }, first.token);
    expect(again).toMatchObject({ token: first.token, isCaller: true, person: { id: first.person.id, name: "Ana" } });
    expect((await people.authenticate(first.token))?.roleOnAll).toBe("reviewer");
    const { people: persons, tokens, invites } = await people.list();
    expect([persons.people.length, tokens.tokens.length, invites.invites.length]).toEqual([1, 1, 0]);
  });

  it.each([
    { name: "nobody's", spoil: (token: string) => `${token}x` },
    { name: "empty", spoil: () => "" },
  ])("makes a new person where the token is $name", async ({ spoil }) => {
    const { people } = await openTestFolder();
    const first = await people.redeem({ code: (await inviteOne(people)).code });
    const again = await joinAs(people, {}, spoil(first.token));
    expect(again.person.id).not.toBe(first.person.id);
    expect(again.isCaller).toBe(false);
    expect((await people.authenticate(again.token))?.person.id).toBe(again.person.id);
  });

  it("makes a new person where the token was revoked", async () => {
    const { people } = await openTestFolder();
    const first = await people.redeem({ code: (await inviteOne(people)).code });
    await people.revoke((await people.list()).tokens.tokens[0]!.id);
    expect((await joinAs(people, {}, first.token)).person.id).not.toBe(first.person.id);
    expect(await people.authenticate(first.token)).toBeNull();
  });

  it("leads to the person whom the invite names, whoever calls", async () => {
    const { people } = await openTestFolder();
    const ana = await people.redeem({ code: (await inviteOne(people, { email: "ana@example.org" })).code });
    const rita = await people.redeem({ code: (await inviteOne(people, { email: "rita@example.org" })).code });
    const other = await joinAs(people, { email: "rita@example.org", role: "admin" }, ana.token);
    expect(other).toMatchObject({ isCaller: false, person: { id: rita.person.id } });
    expect((await people.authenticate(ana.token))?.roleOnAll).toBe("contributor");
    const nobodyYet = await joinAs(people, { email: "eve@example.org" }, ana.token);
    expect(nobodyYet.person).toMatchObject({ email: "eve@example.org" });
    expect(await joinAs(people, { email: "ana@example.org" }, ana.token)).toMatchObject({ token: ana.token });
  });

  it("does not take a known person for an invite that is used up", async () => {
    const { people } = await openTestFolder();
    const { code } = await inviteOne(people);
    const { token } = await people.redeem({ code });
    await expect(people.redeem({ code }, token)).rejects.toMatchObject({ code: "invite_invalid" });
  });
});

describe("redeem: who somebody is", () => {
  const ANA = { name: "Ana Lima", email: "ana@example.org" };

  async function withAna() {
    const { people } = await openTestFolder();
    const ana = await people.redeem({ code: (await inviteOne(people, { role: "admin" })).code, ...ANA });
    return { people, ana };
  }

  it.each([
    { name: "the address", claim: { email: ANA.email }, field: "email" },
    { name: "the address in other case", claim: { name: "Eve", email: "Ana@Example.ORG" }, field: "email" },
    { name: "the name", claim: { name: ANA.name, email: "eve@example.org" }, field: "name" },
    { name: "the name in other case and spaces", claim: { name: "ana\u00a0 LIMA" }, field: "name" },
    { name: "the name in letters that are drawn alike", claim: { name: "\u0410n\u0430 Lima" }, field: "name" },
  ])("lets nobody claim $name of another by an open invite, which stays unused", async ({ claim, field }) => {
    const { people } = await withAna();
    const { code } = await inviteOne(people);
    await expect(people.redeem({ code, ...claim })).rejects.toMatchObject({
      code: "identity_taken",
      details: { field },
    });
    expect((await people.list()).people.people).toHaveLength(1);
    await expect(people.redeem({ code, name: "Ana Lima (QA)" })).resolves.toBeDefined();
  });

  it.each([
    { name: "address", claim: { email: "Boss@example.org" } },
    { name: "name", claim: { name: "The Boss" } },
  ])("lets nobody claim the $name of somebody who is invited and has not come yet", async ({ claim }) => {
    const { people, time } = await openTestFolder();
    await inviteOne(people, { role: "admin", name: "The Boss", email: "boss@example.org" });
    const { code } = await inviteOne(people);
    await expect(people.redeem({ code, ...claim })).rejects.toMatchObject({ code: "identity_taken" });
    time.now = new Date(time.now.getTime() + LIMITS.inviteLifetimeMs);
    await expect(people.redeem({ code: (await inviteOne(people)).code, ...claim })).resolves.toBeDefined();
  });

  it("lets several be without a name", async () => {
    const { people } = await openTestFolder();
    for (let count = 0; count < 2; count += 1) await people.redeem({ code: (await inviteOne(people)).code });
    expect((await people.list()).people.people.map(({ name }) => name)).toEqual(["Teammate", "Teammate"]);
  });

  it("takes a name and an address from the caller who says so, and from nobody else", async () => {
    const { people, ana } = await withAna();
    const said = { name: "Ana L.", email: "al@example.org" };
    const join = async (request: object, token: string | null) =>
      (await people.redeem({ code: (await inviteOne(people)).code, ...request }, token)).person;
    expect(await join(said, ana.token)).toMatchObject({ id: ana.person.id, ...ANA });
    expect(await join({ ...said, rename: true }, ana.token)).toMatchObject({ id: ana.person.id, ...said });
    expect((await people.authenticate(ana.token))?.person).toMatchObject(said);
    expect((await join({ name: "Rita", rename: true }, null)).id).not.toBe(ana.person.id);
  });

  it("lets a caller take no name or address of another, either", async () => {
    const { people } = await withAna();
    const eve = await people.redeem({ code: (await inviteOne(people)).code, name: "Eve" });
    for (const said of [{ name: ANA.name }, { email: ANA.email }]) {
      const { code } = await inviteOne(people);
      const renamed = people.redeem({ code, ...said, rename: true }, eve.token);
      await expect(renamed).rejects.toMatchObject({ code: "identity_taken" });
    }
  });

  it("takes an admin's word for the name of somebody who is known", async () => {
    const { people, ana } = await withAna();
    const { code } = await inviteOne(people, { name: "Ana Lima-Berg", personId: ana.person.id });
    expect((await people.redeem({ code })).person).toMatchObject({ id: ana.person.id, name: "Ana Lima-Berg" });
  });
});

describe("createInvites for somebody who is known", () => {
  it("does not take an address that was merely said for a proof, and says how to name the person", async () => {
    const { people } = await openTestFolder();
    const eve = await people.redeem({ code: (await inviteOne(people)).code, name: "Eve", email: "boss@example.org" });
    const invited = inviteOne(people, { role: "admin", email: "boss@example.org" });
    await expect(invited).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(`--person ${eve.person.id}`),
      details: { field: "email" },
    });
    expect((await people.list()).invites.invites).toEqual([]);
  });

  it("names them by their id, and from then on by their address", async () => {
    const { people } = await openTestFolder();
    const ana = await people.redeem({ code: (await inviteOne(people)).code, name: "Ana", email: "ana@example.org" });
    const { id } = ana.person;
    const first = await inviteOne(people, { role: "reviewer", personId: id });
    expect(first.person).toMatchObject({ id, name: "Ana" });
    const onDesk = await people.redeem({ code: first.code, name: "ana", machine: "desk" });
    expect(onDesk.person).toMatchObject({ id, name: "Ana", email: "ana@example.org" });
    expect((await inviteOne(people, { email: "Ana@example.org" })).person).toMatchObject({ id });
    await expect(inviteOne(people, { personId: "nobody" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not vouched for by the address that they say later", async () => {
    const { people } = await openTestFolder();
    const eve = await people.redeem({ code: (await inviteOne(people, { email: "eve@example.org" })).code });
    const said = { email: "boss@example.org", rename: true };
    await people.redeem({ code: (await inviteOne(people)).code, ...said }, eve.token);
    await expect(inviteOne(people, { email: "boss@example.org" })).rejects.toMatchObject({ code: "bad_request" });
  });

  it("keeps one grant of a role, and answers with what the person is where they join", async () => {
    const { people } = await openTestFolder();
    const wish = { role: "reviewer" as const, email: "ana@example.org" };
    await people.redeem({ code: (await inviteOne(people, wish)).code });
    const { code } = await inviteOne(people, { ...wish, role: "contributor", projects: ["github.com/acme/*"] });
    const again = await people.redeem({ code, projects: [SHOP] });
    expect(again).toMatchObject({ role: "reviewer", grant: { role: "contributor" } });
    expect(again.person.grants).toEqual([{ role: "reviewer", projects: ["*"] }]);
  });
});

describe("authenticate", () => {
  it.each([
    { name: "nothing", token: "" },
    { name: "a token of the right form", token: `tmt_${"A".repeat(43)}` },
    { name: "ten thousand letters", token: "x".repeat(10_000) },
  ])("knows nobody by $name", async ({ token }) => {
    const { people } = await openTestFolder();
    await people.redeem({ code: (await inviteOne(people)).code });
    expect(await people.authenticate(token)).toBeNull();
  });

  it("knows nobody by a token with one letter changed", async () => {
    const { people } = await openTestFolder();
    const { token } = await people.redeem({ code: (await inviteOne(people)).code });
    const other = token.endsWith("A") ? "B" : "A";
    expect(await people.authenticate(`${token.slice(0, -1)}${other}`)).toBeNull();
  });

  it("does not look at the repository again within the bound", async () => {
    const { people, git, state } = await openTestFolder();
    const { token } = await people.redeem({ code: (await inviteOne(people)).code });
    await people.authenticate(token);
    const look = vi.spyOn(state, "readTogether");
    for (let count = 0; count < 100; count += 1) await people.authenticate(token);
    expect(look.mock.calls.length).toBeLessThanOrEqual(1);
    expect(await git.readRef(STATE_REF)).not.toBeNull();
  });

  it("knows a token that another process has just made", async () => {
    const { people, dataFolder } = await openTestFolder();
    await people.redeem({ code: (await inviteOne(people)).code });
    const other = (await openTestFolder(dataFolder)).people;
    const { token } = await other.redeem({ code: (await inviteOne(other)).code });
    expect(await people.authenticate(token)).not.toBeNull();
  });

  it("forgets at once what this process revokes, and within the bound what another does", async () => {
    const { people, dataFolder } = await openTestFolder();
    const here = await people.redeem({ code: (await inviteOne(people)).code });
    const there = await people.redeem({ code: (await inviteOne(people)).code });
    expect(await people.authenticate(here.token)).not.toBeNull();
    const ids = new Map((await people.list()).tokens.tokens.map(({ id, personId }) => [personId, id]));
    await people.revoke(ids.get(here.person.id)!);
    expect(await people.authenticate(here.token)).toBeNull();
    await (await openTestFolder(dataFolder)).people.revoke(ids.get(there.person.id)!);
    await new Promise((resolve) => setTimeout(resolve, LIMITS.peopleRecheckMs + 50));
    expect(await people.authenticate(there.token)).toBeNull();
  });
});

describe("createInvites", () => {
  it("replaces what the last start of the service printed, and nothing else", async () => {
    const { people } = await openTestFolder();
    const start = {
      grant: { role: "contributor" as const, projects: ["*"] },
      name: null,
      email: null,
      origin: "start" as const,
    };
    const kept = await inviteOne(people);
    const [first] = await people.createInvites(start, 1);
    const [second] = await people.createInvites(start, 1);
    await expect(people.redeem({ code: first!.code })).rejects.toMatchObject({ code: "invite_invalid" });
    await expect(people.redeem({ code: second!.code })).resolves.toBeDefined();
    await expect(people.redeem({ code: kept.code })).resolves.toBeDefined();
  });

  it("stops at the bound, and expired ones make room", async () => {
    const { people, time } = await openTestFolder();
    const wish = {
      grant: { role: "reader" as const, projects: ["*"] },
      name: null,
      email: null,
      origin: "admin" as const,
    };
    await people.createInvites(wish, LIMITS.invitesMax);
    await expect(people.createInvites(wish, 1)).rejects.toMatchObject({ code: "too_large" });
    time.now = new Date(time.now.getTime() + 8 * DAY_MS);
    await people.createInvites(wish, 1);
    expect((await people.list()).invites.invites).toHaveLength(1);
  });
});

describe("createToken", () => {
  const wish = (name: string) => ({
    person: { new: { id: `id-of-${name}`, name, email: `${name}@example.org`, createdAt: "2026-03-05T10:00:00.000Z" } },
    grant: { role: "reviewer" as const, projects: ["*"] },
  });

  it("makes one for somebody new, and more for somebody known without touching their roles", async () => {
    const { people } = await openTestFolder();
    const first = await people.createToken(wish("rita"), "desk");
    const second = await people.createToken({ person: { id: first.person.id }, grant: null }, "laptop");
    expect((await people.authenticate(second.token))?.roleOnAll).toBe("reviewer");
    expect((await people.list()).people.people).toHaveLength(1);
  });

  it("answers not_found for a person whom nobody knows", async () => {
    const { people } = await openTestFolder();
    const unknown = people.createToken({ person: { id: "nobody" }, grant: null }, "");
    await expect(unknown).rejects.toMatchObject({ code: "not_found" });
  });

  it("stops at the bound of tokens a person", async () => {
    const { people } = await openTestFolder();
    const { person } = await people.createToken(wish("rita"), "");
    const more = { person: { id: person.id }, grant: null };
    for (let count = 1; count < LIMITS.tokensPerPersonMax; count += 1) await people.createToken(more, "");
    await expect(people.createToken(more, "")).rejects.toMatchObject({ code: "too_large" });
  });
});

describe("revoke", () => {
  it("takes back an open invite by its id", async () => {
    const { people } = await openTestFolder();
    const { id, code } = await inviteOne(people);
    expect(await people.revoke(id)).toBe("invite");
    await expect(people.redeem({ code })).rejects.toMatchObject({ code: "invite_invalid" });
  });

  it("answers not_found for an id that is neither", async () => {
    const { people } = await openTestFolder();
    await expect(people.revoke("nothing")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the state reference", () => {
  it("holds neither a token nor an invite code", async () => {
    const { people, git } = await openTestFolder();
    const { code } = await inviteOne(people);
    const { code: open } = await inviteOne(people);
    const { token } = await people.redeem({ code });
    const args = ["--git-dir", git.gitDir, "log", "-p", STATE_REF];
    const everything = await runGit(git.gitDir, args);
    for (const secret of [code, open, token, SECRET]) expect(everything).not.toContain(secret);
    expect(everything).toContain("tokens.json");
  });
});

describe("assertSecret", () => {
  it("takes the secret that the hashes were made with, and any as long as there are none", async () => {
    const { people, state, clock } = await openTestFolder();
    await people.assertSecret();
    await inviteOne(people);
    await people.assertSecret();
    const wrong = openPeople({ state, clock, secret: "another secret of thirty-two characters" });
    await expect(wrong.assertSecret()).rejects.toMatchObject({ code: "config_invalid" });
  });
});

describe("a secret in what is kept of people", () => {
  const pasted = ["glp", "at-k3j9dQ2xw8rt5yu1io7p"].join("");

  it.each([
    { field: "name", wish: { name: pasted } },
    { field: "email", wish: { email: `${pasted}@acme.example` } },
    { field: "project", wish: { projects: ["*", `github.com/acme/${pasted}`] } },
  ])("is refused as an invite's $field", async ({ field, wish }) => {
    const { people } = await openTestFolder();
    await expect(inviteOne(people, wish)).rejects.toMatchObject({ code: "secret_found", details: { field } });
    expect((await people.list()).invites.invites).toEqual([]);
  });

  it.each([
    { field: "name", name: pasted, machine: "" },
    { field: "machine", name: "Ana", machine: pasted },
  ])("is refused as the $field of a token", async ({ field, name, machine }) => {
    const { people } = await openTestFolder();
    const person = { new: { id: "id", name, email: "ana@acme.example", createdAt: "2026-03-05T10:00:00.000Z" } };
    const made = people.createToken({ person, grant: null }, machine);
    await expect(made).rejects.toMatchObject({ code: "secret_found", details: { field } });
    expect((await people.list()).tokens.tokens).toEqual([]);
  });
});
