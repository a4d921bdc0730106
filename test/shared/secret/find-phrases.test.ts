import { describe, expect, it } from "vitest";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw } from "./drawn.ts";

const RANDOM = draw(9, ["letters", 32]);
const PASSWORD = draw(8, ["letters", 12]);
const encode = (text: string) => Buffer.from(text).toString("base64");
const encodeUrl = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const JWT = `${encodeUrl({ alg: "HS256", typ: "JWT" })}.${encodeUrl({ sub: "ada", exp: 1 })}.${draw(3, ["word", 43])}`;

describe("findPhrases", () => {
  it.each([
    ["jwt", `Cookie: session=${JWT}; path=/`],
    ["jwt", `kept as ${encode(JWT)}`],
    ["authorization-header", `curl -H "Authorization: Bearer ${RANDOM}" https://api.acme.dev`],
    ["authorization-header", `Authorization: token ${RANDOM}`],
    ["basic-authorization", `Authorization: Basic ${encode(`ada:${PASSWORD}`)}`],
    ["docker-auth", `{"auths":{"ghcr.io":{"auth": "${encode(`ada:${PASSWORD}`)}"}}}`],
    ["npm-auth", `//registry.acme.dev/:_auth=${encode(`ada:${PASSWORD}`)}`],
    ["command-user-password", `curl --user ada:${PASSWORD} https://artifacts.acme.dev`],
    ["netrc-password", `machine acme.dev\n  login ada\n  password ${PASSWORD}\n`],
    ["nuget-password", `<add key="ClearTextPassword" value="${PASSWORD}" />`],
    ["signed-address", `https://acme.blob.core.windows.net/x?sv=2022&se=2030-01-01&sig=${RANDOM}%3D`],
    ["facebook-token", `503746480915566|${draw(1, ["letters", 27])}`],
    ["jwk-private-key", `{"kty":"EC","crv":"P-256","x":"a","y":"b","d":"${draw(2, ["word", 43])}"}`],
    ["kubernetes-secret", `apiVersion: v1\nkind: Secret\ndata:\n  db: ${encode(`${PASSWORD}7!`)}\n`],
  ])("finds a %s", (rule, text) => {
    expect(scanForSecrets(text)).toContainEqual(expect.objectContaining({ rule }));
  });

  it.each([
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token-of-3-months>",
    "Authorization: Basic ${CREDENTIALS}",
    "Send the bearer authentication-header-of-version-2 always.",
    `Authorization: Basic ${encode("user:password")}`,
    "curl -u ada:$PASSWORD https://acme.dev",
    "curl -u user:password https://acme.dev",
    "send -u http://localhost:8080/logs-v2",
    "docker run -u 1000:1000 acme/shop",
    "login ada then password reset",
    "kind: Deployment\nmetadata:\n  name: c2hvcC1iYWNrZW5kLTI=\n",
    '{"auth": "none"}',
    "eyJhbGciOiJIUzI1NiJ9 is how a header begins",
  ])("lets %j through", (text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });
});
