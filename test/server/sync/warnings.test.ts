import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { memoryText } from "../../support/memory-text.ts";
import { cloneRemote, openAll, SHOP, textsOf } from "./support.ts";

async function pushed(files: Readonly<Record<string, string>>) {
  const { remote, engine } = await openAll();
  const clone = await cloneRemote(remote);
  await clone.commit(files);
  await clone.push();
  await engine.refresh();
  return engine;
}

describe("a memory that could not be proposed and came to the base by git", () => {
  it.each([
    { name: "no frontmatter", text: "Just words\n", warning: { field: "frontmatter", line: 1 } },
    { name: "no type", text: "---\nname: N\ndescription: D\n---\nX\n", warning: { field: "type", line: 1 } },
    {
      name: "type user",
      text: "---\nname: N\ndescription: D\ntype: user\n---\nX\n",
      warning: { field: "type", line: 4 },
    },
  ])("is served with $name, and with a warning where the quarantine is listed", async ({ text, warning }) => {
    const engine = await pushed({ "bad.md": text, "good.md": memoryText("Good") });
    expect(Object.keys(await textsOf(engine)).sort()).toEqual(["bad.md", "good.md"]);
    const { files, warnings } = await engine.quarantine(SHOP);
    expect(files).toEqual([]);
    expect(warnings).toMatchObject([{ key: "bad.md", ...warning }]);
    expect(JSON.stringify(warnings)).not.toContain("Just words");
  });

  it("is warned of within a bound", async () => {
    const keys = Array.from({ length: LIMITS.quarantinedListedMax + 1 }, (_, at) => `bad${at}.md`);
    const engine = await pushed(Object.fromEntries(keys.map((key) => [key, "Just words\n"])));
    expect((await engine.quarantine(SHOP)).warnings).toHaveLength(LIMITS.quarantinedListedMax);
  });
});
