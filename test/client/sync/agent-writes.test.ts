import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { makeDesk } from "./support.ts";

const AGENT = fileURLToPath(new URL("./agent-writes.ts", import.meta.url));
const TIMES = 600;

describe("an agent that writes while pulls run", () => {
  it("loses no word: each is in place, or in the attic", async () => {
    const keys = ["k0.md", "k1.md", "k2.md", "k3.md"];
    const service = await startStubService(Object.fromEntries(keys.map((key) => [key, memoryText("K", "As served.")])));
    const desk = await makeDesk(service);
    await desk.pull();
    const agent = runAgent(desk.context.teamDir);
    let pulls = 0;
    for (; agent.exitCode() === null; pulls += 1) {
      for (const key of keys) service.memories.set(key, memoryText("K", `As served, ${pulls}.`));
      await desk.pull();
    }
    const words = JSON.parse(await agent.printed) as string[];
    const texts = [...(await Promise.all(keys.map(desk.read))), ...desk.attic()].join("\n");
    expect(pulls).toBeGreaterThan(5);
    expect(desk.attic().join()).toContain("of-the-agent");
    expect(words.filter((word) => !texts.includes(word))).toEqual([]);
  });
});

function runAgent(teamDir: string): { exitCode: () => number | null; printed: Promise<string> } {
  const child = spawn(process.execPath, ["--import", "tsx", AGENT, teamDir, String(TIMES)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const printed = new Promise<string>((resolve) => child.on("close", () => resolve(text)));
  return { exitCode: () => child.exitCode, printed };
}
