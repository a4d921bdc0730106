import { describe, expect, it } from "vitest";
import { PROTOCOL, PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../../shared/protocol/version.ts";
import { bearer, openTestApp, PUBLIC_URL } from "../open-test-app.ts";

describe("the version handshake", () => {
  it.each([
    { name: "no version", version: undefined, status: 200 },
    { name: "its own", version: PROTOCOL_VERSION, status: 200 },
    { name: "a later minor one", version: `${PROTOCOL.major}.${PROTOCOL.minor + 7}`, status: 200 },
    { name: "another major one", version: `${PROTOCOL.major + 1}.0`, status: 426 },
    { name: "something else", version: "latest", status: 426 },
  ])("answers $status to a client that says $name", async ({ version, status }) => {
    const { app, tokenFor } = await openTestApp();
    const said = version === undefined ? {} : { [PROTOCOL_HEADER]: version };
    const answer = await app.inject({ url: "/v1/projects", headers: { ...bearer(await tokenFor("reader")), ...said } });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers[PROTOCOL_HEADER]).toBe(PROTOCOL_VERSION);
  });

  it("names the command that installs the client which fits", async () => {
    const { app } = await openTestApp();
    const { error } = (await app.inject({ url: "/v1/projects", headers: { [PROTOCOL_HEADER]: "9.0" } })).json();
    expect(error.code).toBe("upgrade_required");
    expect(error.message).toContain(`npx -y ${PUBLIC_URL}/client.tgz join`);
  });
});
