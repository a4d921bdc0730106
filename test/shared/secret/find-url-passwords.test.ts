import { describe, expect, it } from "vitest";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw } from "./drawn.ts";

const PASSWORD = draw(7, ["letters", 20]);

describe("findUrlPasswords", () => {
  it.each([
    ["postgres://", `postgres://app:${PASSWORD}@db.internal:5432/shop`],
    ["mongodb+srv://", `mongodb+srv://app:${PASSWORD}@cluster0.abcde.mongodb.net/?retryWrites=true`],
    ["redis://", `redis://:${PASSWORD}@10.0.0.4:6379/0`],
    ["amqps://", `amqps://app:${PASSWORD}@mq.internal/vhost`],
    ["https://", `git clone https://oauth2:${PASSWORD}@git.acme.dev/shop.git`],
    ["https://", `https://${PASSWORD}abc@git.acme.dev/shop.git`],
    ["https://", "https://b7e5eed5:cba9c403@gems.contribsys.com/"],
    ["mysql://", "mysql://root:p%40ss-9x!@10.0.3.7/app"],
    ["postgres://", "postgres://app:a@b@c9x!@db.internal/shop"],
    ["http://", `proxy http://build:${PASSWORD}@proxy.acme.dev:3128`],
    ["postgres://", `postgres://app:${PASSWORD}@localhost/shop`],
    ["jdbc:postgresql://", `jdbc:postgresql://app:${PASSWORD}@db.internal/shop`],
  ])("finds the password of %s", (scheme, text) => {
    expect(scanForSecrets(text)).toEqual([
      { rule: expect.stringMatching(/^url-/), line: 1, masked: `${scheme.replace(/^jdbc:/, "")}***` },
    ]);
  });

  it.each([
    "postgres://postgres:postgres@localhost:5432/shop",
    "postgres://user:password@db.acme.dev/shop",
    "postgres://$DB_USER:$DB_PASS@db.acme.dev/shop",
    "postgres://app:${DB_PASS}@db.acme.dev/shop",
    "postgres://app:<password>@db.acme.dev/shop",
    "postgres://app:****@db.acme.dev/shop",
    "postgres://app@db.acme.dev/shop",
    "postgres://shop:shop@db/shop",
    "https://abc:xyz@acme.dev/",
    "https://ada:lovelace@www.example.com/",
    "https://acme.dev:8443/a@b",
    "https://registry.npmjs.org/@acme/shop",
    "ssh://git@github.com:22/acme/shop.git",
    "git@github.com:acme/shop.git",
    "https://3f2a9c81d7e64b05a1c2d3e4f5061728@o4501.ingest.sentry.io/42",
    "https://acme.dev/a?time=10:20@noon",
    "mailto:ada@acme.dev",
  ])("lets %s through", (text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });
});
