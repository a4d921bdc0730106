import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw, type Piece } from "./drawn.ts";

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

/** Share of fifty drawn values that are found in `text`, where `@` stands for the value. */
function shareFound(text: string, ...value: readonly Piece[]): number {
  return (
    SEEDS.filter((seed) => scanForSecrets(text.replace("@", draw(seed, ...value))).length > 0).length / SEEDS.length
  );
}

describe("findAssignments", () => {
  it.each([
    "password: @",
    'password = "@"',
    "**Password:** `@`",
    "| staging | token | @ |",
    "export DB_PASS=@",
    "const apiKey = '@';",
    'const token: string = "@";',
    "  client_secret => '@'",
    '{"accessToken": "@"}',
    "<password>@</password>",
    "mysql --password @ shop",
    "psql --password=@",
    'setPassword("@")',
    "the admin password is @",
    "Server=db;User Id=app;Password=@;",
    "https://api.internal/x?api_key=@&page=2",
    "//registry.internal/:_authToken=@",
    "secret: >-\n  @\n",
    "auth_token_prod = @",
    "PrivateKey = @",
    "Passwort: @",
    "密码：@",
    "aws_secret_access_key = @",
  ])("finds the value in %j", (text) => {
    expect(shareFound(text, ["letters", 24])).toBe(1);
  });

  it.each<readonly [name: string, share: number, value: readonly Piece[]]>([
    ["asana_client_secret", 0.98, [["lower", 32]]],
    ["etsy_access_token", 0.98, [["lower", 24]]],
    ["linkedin_client_secret", 0.9, [["lower", 16]]],
    ["bittrex_access_key", 0.98, [["lower", 32]]],
    ["confluent_secret", 0.98, [["lower", 64]]],
    ["cohere_api_token", 0.98, [["letters", 40]]],
    ["facebook_secret", 0.98, [["hex", 32]]],
    ["sentry_token", 0.98, [["hex", 64]]],
    ["zendesk_secret_key", 0.98, [["lower", 40]]],
    ["twitter_api_secret", 0.98, [["lower", 50]]],
    ["hubspot_api_key", 0.98, [["hex", 8], "-", ["hex", 4], "-", ["hex", 4], "-", ["hex", 4], "-", ["hex", 12]]],
    ["kraken_secret", 0.98, [["base64", 88]]],
    ["intercom_token", 0.98, [["word", 60]]],
    ["okta_access_token", 0.98, ["00", ["word", 40]]],
    ["discord_client_secret", 0.96, [["word", 32]]],
    ["some_vendor_key", 0.98, [["hex", 40]]],
    ["db_password", 0.9, [["letters", 12]]],
    ["administrator_login_password", 0.85, [["lower", 10]]],
  ])("finds what stands behind %s", (name, share, value) => {
    expect(shareFound(`${name} = "@"`, ...value)).toBeGreaterThanOrEqual(share);
  });

  it("judges values from a length on, and of long ones the beginning", () => {
    const { secretValueLengthMin: min, secretValueLengthMax: max } = LIMITS;
    const random = "k7Qz9mX2".repeat(2);
    expect(scanForSecrets(`password: ${random.slice(0, min)}`)).toHaveLength(1);
    expect(scanForSecrets(`password: ${random.slice(0, min - 1)}`)).toEqual([]);
    expect(scanForSecrets(`password: ${"-".repeat(max)}${draw(1, ["letters", 40])}`)).toEqual([]);
    expect(scanForSecrets(`password: ${draw(1, ["letters", max + 1])}`)).toHaveLength(1);
  });

  it.each(["Winter2024!", "mon4key77b", "Tr0ub4dor&3", "h0rse#battery9"])("finds the password %s", (password) => {
    expect(scanForSecrets(`password: ${password}`)).toEqual([{ rule: "password", line: 1, masked: "***" }]);
  });

  it.each([
    "password: ${DB_PASSWORD}",
    "password: {{ vault.db_password_v2 }}",
    "password: <ask Ada, room 3b12>",
    "password: $(op read op://team/db/password1)",
    "password: process.env.DB_PASS2",
    "password: os.environ['DB_PASS_2']",
    "password = settings.db_password2",
    "password = getPassword2()",
    "password: changeme123!",
    "password: your-password-1!",
    "password: string; // 8 to 64 characters",
    "password: ********",
    "The password is in 1Password, vault shop-prod2.",
    "password: see https://wiki.acme.dev/x9k2/secrets",
    "type Scheme = Oauth2Password | Oauth2ApplicationScheme",
    "password_min_length: 12345678a",
    "token: vault:secret/data/shop#token2",
    "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/db-Ab12Cd",
    "secretName: db-creds-8f7k2",
    "secret: db-creds-8f7k2",
    "tokens: 4096",
    "max_tokens=128000",
    "next_page_token: CAUQAA8hj2kd9sK2jd8",
    "public_key = 7fKq2mXv9sLw3nRt8pYz4cHd",
    "cache key: 3f2a9c81d7e64b05a1c2d3e4f5061728",
    "cache-key: node-20.20.2-linux-x64-9f8e7d6c5b4a",
    "idempotency_key: 3b1e0c52-8d4f-4a6b-9c7e-1f2a3b4c5d6e",
    "primary key: 01hq3zk5v7w8x9y0abcdefghjk",
    "key: value2-of-a-map",
    "the key is always lower-case-with-2-dashes",
    "monkey: 3f2a9c81d7e64b05a1c2",
    "author: a1b2c3d4e5f6g7h8",
    "secretary = b7d3k9f2m4x8q1",
    "compass: n0rth34st5w3st",
    "passing: 12a34b56c78d",
    "oauth: rfc6749-section-4.1",
    "auth: oauth2-proxy-v7.6.0",
    "credentials: 'same-origin'",
    "password expires: 2024-03-05T10:00:00Z",
    "token ttl: 1h30m15s",
    "key fingerprint: SHA256:9Kq3mXv7sLw2nRt8pYz4cHdJ5fGb6eWa1uQo0iTyPxM",
    "const secretKey = deriveKey2(seed, salt1)",
  ])("lets %j through", (text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });
});
