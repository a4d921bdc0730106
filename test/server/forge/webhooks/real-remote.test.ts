import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryText } from "../../../support/memory-text.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { commitOnRemote, openMirror, startWithBase, writeHook } from "../../git/remote/support.ts";
import { BASE } from "../../git/support.ts";
import { SHOP_PATH } from "../../hand-engine.ts";
import { bearer, openPort, openTestApp } from "../../open-test-app.ts";
import { cloneRemote, openEngine, SHOP_FOLDER } from "../../sync/support.ts";
import { fromGithub, PUSH, WEBHOOK_SECRET } from "./sign.ts";

const KEY = `${SHOP_FOLDER}/feedback_testing.md`;
/** The end of the wait, which would bring the news as well. */
const LONG_BEFORE_MS = 15_000;
const TEXT = memoryText("Testing", "how we test", "feedback");

describe("a push to a shared remote, while the poll sleeps", { timeout: 30_000 }, () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval"] }));
  afterEach(() => void vi.useRealTimers());

  /** The service on a remote by HTTP, and a client that waits for a change of the project. */
  async function openWaiting() {
    const { remote } = await startWithBase();
    const mirror = await openMirror(remote);
    const shared = { folder: "", gitDir: mirror.gitDir, port: mirror };
    const engine = await openEngine(shared, { git: mirror });
    const options = { webhookSecrets: [WEBHOOK_SECRET], isMirror: true };
    const { app, tokenFor } = await openTestApp({ engine: async () => engine, options });
    const url = `http://127.0.0.1:${await openPort(app)}`;
    const headers = bearer(await tokenFor("reader"));
    const etag = (await fetch(`${url}${SHOP_PATH}/head`, { headers })).headers.get("etag") ?? "";
    const waitForChange = async (seconds: number) => {
      const asking = { headers: { ...headers, "if-none-match": etag } };
      const answer = await fetch(`${url}${SHOP_PATH}/head?wait=${seconds}`, asking);
      return answer.status === 200 ? ((await answer.json()) as { memories: number }).memories : answer.status;
    };
    return { remote, shared, url, waitForChange };
  }

  it("reaches who waits as soon as the forge says so, and not before", async () => {
    const { remote, url, waitForChange } = await openWaiting();
    await commitOnRemote(remote, BASE, KEY, TEXT);
    expect(await waitForChange(1)).toBe(304);
    const waited = waitForChange(20);
    const startedAt = performance.now();
    const answer = await fetch(`${url}/v1/webhooks/github`, { method: "POST", headers: fromGithub(), body: PUSH });
    expect(answer.status).toBe(202);
    expect(await waited).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_MS);
  });

  it("reaches who waits by a hook of the repository, with curl", async () => {
    const { remote, shared, url, waitForChange } = await openWaiting();
    const header = join(await tempDir(), "header");
    await writeFile(header, `X-Team-Memory-Token: ${WEBHOOK_SECRET}\n`);
    await writeHook(remote, "post-receive", `curl -fsS -m 5 -X POST -H @${header} ${url}/v1/webhooks/git`);
    const clone = await cloneRemote({ ...shared, gitDir: remote.gitDir });
    await clone.commit({ "feedback_testing.md": TEXT });
    const waited = waitForChange(20);
    const startedAt = performance.now();
    await clone.push();
    expect(await waited).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_MS);
  });
});
