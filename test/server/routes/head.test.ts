import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PEOPLE_FILES, type PeopleState } from "../../../server/people/people-files.ts";
import { planRemovePerson, planTake } from "../../../server/people/plan-roles.ts";
import { LIMITS } from "../../../shared/limits.ts";
import { handEngine, SHOP_PATH } from "../hand-engine.ts";
import { bearer, openTestApp } from "../open-test-app.ts";

/** Asks once to wait; while it does, another process makes this change to the caller. */
async function askWhile(plan: (state: PeopleState, personId: string) => { readonly value: PeopleState }) {
  let happen: () => Promise<unknown> = async () => undefined;
  const { engine } = handEngine({ waitForChange: async () => void (await happen()) });
  const { app, state, people, tokenFor } = await openTestApp({ engine: async () => engine });
  await tokenFor("admin");
  const headers = bearer(await tokenFor("reader"));
  const personId = (await people.list()).people.people.at(-1)?.id ?? "";
  const { etag } = (await app.inject({ url: `${SHOP_PATH}/head`, headers })).headers;
  happen = async () => {
    await state.updateTogether(PEOPLE_FILES, (before) => ({ ...plan(before, personId), result: null }));
    await sleep(LIMITS.peopleRecheckMs);
  };
  return app.inject({ url: `${SHOP_PATH}/head?wait=25`, headers: { ...headers, "if-none-match": String(etag) } });
}

describe("a wait for the head", () => {
  it.each([
    { name: "is still there", plan: (value: PeopleState) => ({ value }), status: 304 },
    { name: "was removed meanwhile", plan: planRemovePerson, status: 401 },
    {
      name: "lost the project meanwhile",
      plan: (state: PeopleState, id: string) => planTake(state, id, { role: "reader" as const, projects: null }),
      status: 404,
    },
  ])("answers a caller who $name with $status", async ({ plan, status }) => {
    const answer = await askWhile(plan);
    expect(answer.statusCode).toBe(status);
    if (status !== 304) expect(answer.headers["etag"]).toBeUndefined();
  });
});
