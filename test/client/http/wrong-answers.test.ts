import { describe, expect, it } from "vitest";
import { blobIdOf } from "../../../shared/sync/git-ids.ts";
import { memoryText } from "../../support/memory-text.ts";
import { startStubService } from "../stub-service.ts";
import { type Desk, makeDesk } from "../sync/support.ts";
import { type Behaviour, type Front, startFront } from "./front.ts";
import { HANGING, redirectsTo, saysNothingIsNew, speaksNoTls, WRONG } from "./misbehaviours.ts";

const A = memoryText("A");
/** For a call that has an answer, on a busy machine; and for one that has none. */
const TIMEOUT_MS = 10_000;
const SHORT_MS = 300;

async function openDesk() {
  const service = await startStubService({ "a.md": A });
  const front = await startFront(service.url);
  return { service, front, desk: await makeDesk(front) };
}

async function expectNothingWritten(desk: Desk): Promise<void> {
  expect(await desk.keys()).toEqual(["a.md"]);
  expect(await desk.read("a.md")).toBe(A);
  expect(desk.attic()).toEqual([]);
}

/** Fails by its code, changes nothing, and stands in nobody's way once the service is back. */
async function expectRefused({ front, desk }: { front: Front; desk: Desk }, code: string, timeoutMs: number) {
  await expect(desk.pull({ timeoutMs })).rejects.toMatchObject({ code });
  await expectNothingWritten(desk);
  front.behave = null;
  expect((await desk.pull()).kind).toBe("nothing_new");
}

describe("a pull from a service that hangs", () => {
  it.each(HANGING)("is given up in time: $name", async ({ behave, code }) => {
    const { front, desk } = await openDesk();
    await desk.pull();
    front.behave = behave;
    const startedAtMs = performance.now();
    await expectRefused({ front, desk }, code, SHORT_MS);
    expect(performance.now() - startedAtMs).toBeLessThan(SHORT_MS + 2_000);
  });
});

describe("a pull from what is no service", () => {
  it.each(WRONG)("fails by $code, with the last good copy in place: $name", async ({ behave, code }) => {
    const { front, desk } = await openDesk();
    await desk.pull();
    front.behave = behave;
    await expectRefused({ front, desk }, code, TIMEOUT_MS);
  });

  it.each<[string, string, Behaviour, number]>([
    ["silence", "timeout", () => {}, SHORT_MS],
    ["garbage", "unreachable", speaksNoTls, TIMEOUT_MS],
    ["plain HTTP", "unreachable", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"), TIMEOUT_MS],
  ])("fails where TLS should be and is not: %s", async (_, code, behave, timeoutMs) => {
    const { front } = await openDesk();
    front.behave = behave;
    const desk = await makeDesk({ url: front.url.replace("http:", "https:") });
    await expect(desk.pull({ timeoutMs })).rejects.toMatchObject({ code });
  });

  it("is not told that nothing is new where it has nothing yet", async () => {
    const { front, desk } = await openDesk();
    front.behave = saysNothingIsNew;
    await expect(desk.pull()).rejects.toMatchObject({ code: "bad_response" });
  });

  it("does not carry its token to where a redirect leads", async () => {
    const elsewhere = await startStubService({ "evil.md": memoryText("Evil") });
    const { front, desk } = await openDesk();
    await desk.pull();
    front.behave = redirectsTo(elsewhere.url);
    await expectRefused({ front, desk }, "bad_response", TIMEOUT_MS);
    expect(elsewhere.requests).toEqual([]);
  });

  it("fails where nothing listens", async () => {
    const desk = await makeDesk({ url: "http://127.0.0.1:9" });
    await expect(desk.pull()).rejects.toMatchObject({ code: "unreachable", details: { reason: "ECONNREFUSED" } });
  });

  it("fails where no name server knows the name", async () => {
    const desk = await makeDesk({ url: "https://team-memory.invalid" });
    await expect(desk.pull({ timeoutMs: 1_000 })).rejects.toMatchObject({
      code: expect.stringMatching(/^(unreachable|timeout)$/),
    });
  });
});

describe("a pull from a service that lies", () => {
  const upsert = (key: string, text: string) => ({
    key,
    text,
    blob: blobIdOf(text),
    name: "B",
    description: "About B",
    type: "feedback",
    changedAt: "2026-03-05T10:00:00Z",
    changedBy: "Ana",
  });

  it.each<[string, string, (body: Record<string, unknown>) => unknown]>([
    ["about its tree", "bad_response", (body) => ({ ...body, tree: "3".repeat(40) })],
    ["about a text", "bad_response", (body) => ({ ...body, upserts: [{ ...upsert("b.md", "B\n"), text: "Evil\n" }] })],
    ["by leaving out a memory", "bad_response", (body) => ({ ...body, full: true, upserts: [] })],
    ["about the project", "bad_response", (body) => ({ ...body, project: "github.com/acme/other" })],
    ["with a tree that is no id", "bad_response", (body) => ({ ...body, tree: "../../tree" })],
    [
      "with a key twice",
      "path_traversal",
      (body) => ({ ...body, upserts: [upsert("b.md", "B\n"), upsert("b.md", "C\n")] }),
    ],
    ["with a key both changed and gone", "bad_response", (body) => ({ ...body, removals: ["b.md"] })],
    ["with a removal outside", "path_traversal", (body) => ({ ...body, removals: ["../private.md"] })],
    ["with nothing where lists should be", "bad_response", (body) => ({ ...body, upserts: null, removals: null })],
    ["with a prototype", "bad_response", () => JSON.parse('{"__proto__":{"upserts":[],"removals":[]}}')],
  ])("changes nothing: %s", async (_, code, tamper) => {
    const { service, front, desk } = await openDesk();
    await desk.pull();
    service.memories.set("b.md", "B\n");
    service.tamper = tamper;
    await expect(desk.pull({ timeoutMs: TIMEOUT_MS })).rejects.toMatchObject({ code });
    await expectNothingWritten(desk);
    front.behave = null;
    service.tamper = null;
    await desk.pull();
    expect(await desk.keys()).toEqual(["a.md", "b.md"]);
  });

  it("asks for everything once, and no third time", async () => {
    const { service, desk } = await openDesk();
    await desk.pull();
    service.memories.set("b.md", "B\n");
    service.tamper = (body) => ({ ...body, tree: "3".repeat(40) });
    const before = service.requests.length;
    await expect(desk.pull()).rejects.toMatchObject({ code: "bad_response" });
    const asked = service.requests.slice(before);
    expect(asked.map((line) => line.includes("since="))).toEqual([true, false]);
  });
});
