import { expect, it } from "vitest";
import { memoryText } from "../../../support/memory-text.ts";
import { deskWith } from "../support.ts";

const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at): [string, string] => [`${prefix}${at}.md`, memoryText(`${prefix}${at}`)]);

it("removals that are held wait until somebody accepts them, however the project grows or a part comes back", async () => {
  const [desk, service] = await deskWith(Object.fromEntries(many("m", 12)));
  for (let at = 0; at < 8; at += 1) service.memories.delete(`m${at}.md`);
  expect((await desk.pull()).unplaced).toHaveLength(8);
  for (const [key, text] of many("n", 14)) service.memories.set(key, text);
  for (let pulls = 0; pulls < 3; pulls += 1) await desk.pull();
  expect(await desk.keys()).toHaveLength(26);
  for (let at = 0; at < 3; at += 1) service.memories.set(`m${at}.md`, memoryText(`m${at}`));
  for (let pulls = 0; pulls < 2; pulls += 1) await desk.pull();
  expect(await desk.keys()).toHaveLength(26);
  await desk.pull({ acceptRemovals: true });
  expect(await desk.keys()).toHaveLength(21);
});
