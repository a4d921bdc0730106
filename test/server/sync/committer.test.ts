import { ulid } from "ulid";
import { expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, cloneRemote, openEngine, openRemote, RITA, SHOP, textsOf, toRequest } from "./support.ts";

const TEXT = memoryText("Testing", "how we test", "feedback");

it("a proposal stays its person's, and goes on, when the service is given another committer", async () => {
  const remote = await openRemote();
  const before = await openEngine(remote);
  const id = ulid();
  await before.putProposal(SHOP, id, toRequest({ "a.md": TEXT }), ANA);
  await before.stop();
  const after = await openEngine(remote, { committer: { name: "Acme memory", email: "memory@acme.example" } });
  expect(await after.listProposals(SHOP)).toMatchObject([{ id, by: ANA.name }]);
  await after.putProposal(SHOP, id, toRequest({ "a.md": TEXT, "b.md": TEXT }, { seq: 2 }), ANA);
  expect(await after.proposal(SHOP, id)).toMatchObject({ by: ANA.name, changes: [{ key: "a.md" }, { key: "b.md" }] });
  await after.approve(SHOP, id, {}, RITA);
  expect(Object.keys(await textsOf(after))).toEqual(["a.md", "b.md"]);
  const clone = await cloneRemote(remote);
  expect(await clone.git("log", "-1", "--format=%cn <%ce>")).toBe("Acme memory <memory@acme.example>");
});
