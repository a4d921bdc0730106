import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../support/run.ts";
import { startService } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../dist/server/main.js", import.meta.url));

it("a command whose reader has gone ends without a word, and with a code that says so", async () => {
  const data = join(await tempDir(), "data");
  const service = await startService({ data, onEnd: onTestFinished });
  await service.stop();
  for (const [call, code] of [
    [`token list --data '${data}'`, 8],
    ["people remove nobody --json --data '/nowhere'", 2],
    ["help", 8],
  ] as const) {
    const script = `{ '${process.execPath}' '${MAIN}' ${call}; echo "code $?" >&2; } | :`;
    const { stderr } = await run("sh", ["-c", script], { cwd: data, env: { PATH: process.env["PATH"] ?? "" } });
    expect(stderr.trim()).toBe(`code ${code}`);
  }
});
