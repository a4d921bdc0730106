import { connect } from "node:net";
import { expect } from "vitest";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { handEngine } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";
import { type Check, head, MEMORY, PROPOSAL_PATH, proposal, SHOP_PATH } from "./target.ts";

/** What a client hears when the engine fails in this way, and what the log keeps. */
async function failWith(error: Error) {
  const { engine } = handEngine({ head: () => Promise.reject(error) });
  const { app, tokenFor, log } = await openTestApp({ engine: async () => engine });
  const answer = await app.inject({ url: `${SHOP_PATH}/head`, headers: bearer(await tokenFor("reader")) });
  return { answer, logged: log.join("") };
}

const SECRET_TEXT = "/srv/data/secret: fatal: tmt_token";

export const ERROR_CASES: Readonly<Record<string, Check>> = {
  "internal failure": async () => {
    const { answer, logged } = await failWith(new Error(SECRET_TEXT));
    expect([answer.statusCode, answer.json().error.code]).toEqual([500, "internal"]);
    expect(answer.body).not.toContain("srv");
    expect(answer.json().error.details.requestId).toBe(answer.headers["x-request-id"]);
    expect(logged).toContain(SECRET_TEXT);
  },
  "disk full / too many files": async () => {
    const full = await failWith(new TeamMemoryError("disk_full", SECRET_TEXT));
    expect([full.answer.statusCode, full.answer.json().error.code]).toEqual([507, "disk_full"]);
    expect(full.answer.body).not.toContain("srv");
    const { answer } = await failWith(new TeamMemoryError("unavailable", SECRET_TEXT));
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "1"]);
  },
  "hostile key echoed": async ({ call }) => {
    const key = "\u001b[31m<script>\u202e.md";
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal(key) });
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([422, "application/json; charset=utf-8"]);
    expect(answer.body).not.toContain("\u001b");
    expect(answer.body.length).toBeLessThan(2_000);
  },
  "batch with one hostile key of 100": async ({ call, refs }) => {
    const before = await refs();
    const keys = Array.from({ length: 100 }, (_, at) => (at === 57 ? "../x.md" : `memory_${at}.md`));
    const changes = keys.map((key) => ({ key, baseBlob: null, text: MEMORY }));
    const answer = await call({ method: "PUT", url: PROPOSAL_PATH, payload: { seq: 1, changes } });
    expect(answer.statusCode).toBe(422);
    expect(await refs()).toEqual(before);
  },
  "crash on unhandled rejection": async ({ port, token, app }) => {
    const body = JSON.stringify(proposal("a.md"));
    const request = `${head(`PUT ${PROPOSAL_PATH}`, "Content-Type: application/json", `Authorization: Bearer ${token}`, `Content-Length: ${body.length}`)}${body}`;
    const wait = head(`GET ${SHOP_PATH}/head?wait=25`, `Authorization: Bearer ${token}`);
    for (const text of [...cutsOf(request), ...cutsOf(wait)]) await sendAndHangUp(port, text);
    expect((await app.inject("/healthz")).statusCode).toBe(200);
  },
};

function cutsOf(text: string): string[] {
  return [0.1, 0.5, 0.9, 1].map((part) => text.slice(0, Math.ceil(text.length * part)));
}

function sendAndHangUp(port: number, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 5)),
    );
    socket.on("error", () => {}).on("close", () => resolve());
  });
}

export const REPLAY_CASES: Readonly<Record<string, Check>> = {
  // The proposal's id is the key of idempotency: the client chose it, and it belongs to its creator.
  "same Idempotency-Key, same body": async ({ call, refs }) => {
    const send = () => call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal("a.md") });
    const first = await send();
    const after = await refs();
    const second = await send();
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.json()).toEqual(first.json());
    expect(await refs()).toEqual(after);
  },
  "same key, concurrent": async ({ call }) => {
    const sends = [1, 2, 3].map(() => call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal("a.md") }));
    const answers = await Promise.all(sends);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map((answer) => answer.json().head)).size).toBe(1);
  },
  "Idempotency-Key of another token": async ({ app, call, tokenFor, refs }) => {
    await call({ method: "PUT", url: PROPOSAL_PATH, payload: proposal("a.md") });
    const before = await refs();
    const headers = bearer(await tokenFor("contributor"));
    const answer = await app.inject({ method: "PUT", url: PROPOSAL_PATH, headers, payload: proposal("b.md") });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect((await refs()).get("refs/heads/team-memory/01JH0000000000000000000000")).toBe(
      before.get("refs/heads/team-memory/01JH0000000000000000000000"),
    );
  },
};
