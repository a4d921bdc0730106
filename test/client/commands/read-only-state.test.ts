import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "../../../shared/errors/codes.ts";
import { giveAway, unprivileged } from "../../security/paths/support.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type Developer, startWork } from "./support.ts";

/** Those that only look need nothing of the state folder but to be read. */
const LOOKING = ["status", "diff", "conflicts", "attic list"];
const DOING = ["pull", "push", "sync", "rm a.md", "restore a.md", "keep-private mine.md"];

describe("a state folder that is read-only", () => {
  it("keeps nobody from looking; what has to be written fails by the folder's name, and nothing is lost or sent", async () => {
    const [dev, service] = await startWork({ "a.md": memoryText("A") });
    await dev.write("mine.md", memoryText("Mine"));
    makeReadOnly(dev);
    service.memories.set("b.md", memoryText("B"));
    await unprivileged(async () => {
      for (const line of LOOKING) {
        const { exit, text } = await dev.call(line);
        expect([line, exit, text]).toEqual([line, EXIT.ok, text]);
      }
      for (const line of DOING) {
        const { error, text } = await dev.call(line);
        expect([line, error?.code, text]).toEqual([line, "disk", expect.stringContaining(dev.stateFolder)]);
      }
    });
    expect(service.puts).toEqual([]);
    expect(readdirSync(dev.teamDir).sort()).toEqual(["MEMORY.md", "a.md", "mine.md"]);
    chmodSync(dev.stateFolder, 0o700);
    await unprivileged(() => dev.call("sync"));
    expect(await dev.read("b.md")).toBe(memoryText("B"));
    expect(service.puts).toMatchObject([{ request: { changes: [{ key: "mine.md" }] } }]);
  });
});

describe("a damaged file in a state folder that is read-only", () => {
  it("is named, and stays as it is", async () => {
    const [dev] = await startWork({ "a.md": memoryText("A") });
    const path = join(dev.stateFolder, "marks.json");
    writeFileSync(path, '{"format":1,');
    makeReadOnly(dev);
    const { text } = await unprivileged(() => dev.call("status"));
    expect(text).toBe(`Cannot set the damaged file aside: ${path} (disk)`);
    expect(readFileSync(path, "utf8")).toBe('{"format":1,');
  });
});

/** The folder alone: whoever works here owns all else. */
function makeReadOnly({ stateFolder, memoryDir, env }: Developer): void {
  const root = dirname(env.home);
  const all = (readdirSync(root, { recursive: true }) as string[]).map((name) => join(root, name));
  giveAway(root, ...all, memoryDir);
  chmodSync(stateFolder, 0o500);
  onTestFinished(() => chmodSync(stateFolder, 0o700));
}
