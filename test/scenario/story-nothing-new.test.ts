import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { hookInput, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { cloneMemory, joinByApi, pushMemories } from "../support/people.ts";
import { mustRun } from "../support/run.ts";
import { invite, startService } from "../support/service.ts";
import { startSession } from "../support/session-start.ts";
import { tempDir } from "../support/temp-dir.ts";

const RECORDER = fileURLToPath(new URL("../support/record-loads.mjs", import.meta.url));
/** The client before it is bundled: its modules can be told apart. */
const CLIENT_MAIN = fileURLToPath(new URL("../../dist/client/main.js", import.meta.url));

describe("hook session-start with nothing new", () => {
  it("loads Node's own modules and ours, no package", async () => {
    const home = await joinWithOneMemory();
    expect((await startSession(home)).context).toContain("Real databases in tests");
    const loaded = join(await tempDir(), "loaded");
    const args = ["--import", RECORDER, CLIENT_MAIN, "hook", "session-start"];
    const env = { ...home.env, LOADED_MODULES: loaded };
    const { stdout } = await mustRun(process.execPath, args, { cwd: home.clone, env, input: hookInput(home.clone) });
    expect(stdout).toContain("Real databases in tests");
    const modules = (await readFile(loaded, "utf8")).trim().split("\n");
    expect(modules.length).toBeGreaterThan(5);
    expect(modules.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  });
});

async function joinWithOneMemory() {
  const service = await startService({ data: join(await tempDir(), "data"), onEnd: onTestFinished });
  const { token } = await joinByApi(service, "reviewer");
  const memories = { "feedback_testing.md": memoryText("Real databases in tests") };
  await pushMemories(await cloneMemory(service.url, token, onTestFinished), "github.com/acme/shop", memories);
  const home = await makeHome({ onEnd: onTestFinished });
  expect(await home.client("join", await invite(service, "contributor"))).toMatchObject({ code: 0 });
  return home;
}
