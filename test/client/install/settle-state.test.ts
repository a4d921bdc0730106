import { describe, expect, it } from "vitest";
import { settleState } from "../../../client/install/settle-state.ts";
import { locate } from "../../../client/memory/locate.ts";
import { readMarks } from "../../../client/sync/state/marks-file.ts";
import { memoryText } from "../../support/memory-text.ts";
import { type Developer, startWork } from "../commands/support.ts";
import { PROJECT, type StubService } from "../stub-service.ts";

const FRESH = { move: false, fresh: true };

describe("settleState, anew", () => {
  it("forgets no decision: a reviewer's no, a conflict, a removal", async () => {
    const [dev, service] = await decidedWork();
    const before = await statesOf(dev);
    await settleState(located(dev), { server: service.url, project: PROJECT }, FRESH);
    const sent = service.puts.length;
    await dev.call("sync");
    expect(await statesOf(dev)).toEqual({ ...before, "c.md": "proposed" });
    expect(service.puts.slice(sent).flatMap(({ request }) => request.changes)).toMatchObject([
      { key: "c.md", text: null },
    ]);
    expect((await dev.call("conflicts show b.md")).text).toContain("Mine.");
  });

  it("takes nothing over from another project's copies", async () => {
    const [dev, service] = await decidedWork();
    await settleState(located(dev), { server: service.url, project: "github.com/acme/other" }, FRESH);
    expect(readMarks(dev.stateFolder).size).toBe(0);
  });
});

/** One text that a reviewer said no to, one conflict, one removal. */
async function decidedWork(): Promise<[Developer, StubService]> {
  const [dev, service] = await startWork({ "a.md": memoryText("A"), "b.md": memoryText("B"), "c.md": memoryText("C") });
  await dev.write("mine.md", memoryText("Mine"));
  await dev.call("push");
  const [{ id } = { id: "" }] = service.puts;
  service.outcomes.set(id, { state: "closed", seq: 1, reason: "no", rejected: [], url: "http://stub/review/1" });
  await dev.write("b.md", memoryText("B", "Mine."));
  service.memories.set("b.md", memoryText("B", "Theirs."));
  await dev.call("pull");
  await dev.call("rm c.md");
  return [dev, service];
}

function located(dev: Developer) {
  return { ...locate({ cwd: dev.memoryDir, env: dev.env }), memoryDir: dev.memoryDir, stateFolder: dev.stateFolder };
}

async function statesOf(dev: Developer): Promise<Record<string, string>> {
  const { data } = await dev.call("status");
  const { files } = data as { files: { key: string; state: string }[] };
  return Object.fromEntries(files.map(({ key, state }) => [key, state]));
}
