import { describe, expect, it } from "vitest";
import type { Engine } from "../../../server/sync/engine.ts";
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../../shared/protocol/version.ts";
import { handEngine, SHOP_PATH } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

const POLL = `${SHOP_PATH}/memories?since=${"1".repeat(40)}`;

describe("an unchanged poll", () => {
  const engines: readonly { name: string; changes: Partial<Engine> }[] = [
    { name: "that the engine recalls", changes: { recallEtag: () => '"etag"' } },
    { name: "that the engine has to look up", changes: {} },
  ];

  it.each(engines)("$name is answered alike the first time and later, with 304 and no body", async ({ changes }) => {
    const { poll } = await openPolls(changes);
    for (const answer of [await poll('"etag"'), await poll('"etag"'), await poll('W/"etag", "other"')]) {
      expect(answer).toMatchObject({ statusCode: 304, body: "" });
      const headers = { etag: '"etag"', "cache-control": "private, no-store", [PROTOCOL_HEADER]: PROTOCOL_VERSION };
      expect(answer.headers).toMatchObject(headers);
    }
  });

  it.each(engines)("$name gets what is new once there is anything", async ({ changes }) => {
    const { poll } = await openPolls(changes);
    await poll('"etag"');
    expect((await poll('"older"')).json()).toMatchObject({ full: true });
  });

  it.each(engines)("$name tells who may not see the project nothing, though others have asked", async ({ changes }) => {
    const { poll, tokenFor } = await openPolls(changes);
    await poll('"etag"');
    expect((await poll('"etag"', bearer(await tokenFor("reader", "github.com/other/*")))).statusCode).toBe(404);
    expect((await poll('"etag"', bearer("tmt_nobody"))).statusCode).toBe(401);
  });

  it("that the engine cannot look up says why", async () => {
    let isDown = false;
    const memoriesEtag = async () => (isDown ? Promise.reject(new Error("down")) : '"etag"');
    const { poll } = await openPolls({ memoriesEtag });
    await poll('"etag"');
    isDown = true;
    expect((await poll('"etag"')).statusCode).toBe(500);
  });
});

async function openPolls(changes: Partial<Engine>) {
  const { app, tokenFor } = await openTestApp({ engine: async () => handEngine(changes).engine });
  const mine = bearer(await tokenFor("reader"));
  const poll = (etag: string, headers: Record<string, string> = mine) =>
    app.inject({ url: POLL, headers: { ...headers, "if-none-match": etag } });
  return { poll, tokenFor };
}
