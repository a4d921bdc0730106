import { expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { deskWith, sentKeys } from "./support.ts";

it("two local sessions each add a memory within 50 ms: both are kept, proposed and listed, by the same bytes whoever ran last", async () => {
  const indexes = new Set<string>();
  for (const last of ["one", "two"]) {
    const [desk, service] = await deskWith({ "a.md": memoryText("A") });
    const session = async (name: string, delayMs: number) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await desk.write(`${name}.md`, memoryText(name));
      await desk.push();
      await desk.pull();
    };
    await Promise.all([session("one", last === "one" ? 40 : 0), session("two", last === "two" ? 40 : 0)]);
    await desk.push();
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md", "one.md", "two.md"]);
    expect(sentKeys(service)).toEqual(["one.md", "two.md"]);
    expect(new Set(service.puts.map(({ id }) => id)).size).toBe(1);
    expect(await desk.read("MEMORY.md")).toMatch(/\(a\.md\)[\s\S]*\((one|two)\.md\)[\s\S]*\((one|two)\.md\)/);
    for (const name of ["one", "two"]) service.memories.set(`${name}.md`, memoryText(name));
    await desk.pull();
    indexes.add(await desk.read("MEMORY.md"));
  }
  expect(indexes.size).toBe(1);
  expect([...indexes][0]).toMatch(/\(a\.md\)[\s\S]*\(one\.md\)[\s\S]*\(two\.md\)/);
});
