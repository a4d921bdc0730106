import { describe, expect, it } from "vitest";
import { CLOUD_TOKENS } from "../../../shared/secret/cloud-tokens.ts";
import { FORGE_TOKENS } from "../../../shared/secret/forge-tokens.ts";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { SERVICE_TOKENS } from "../../../shared/secret/service-tokens.ts";
import { draw, type Piece } from "./drawn.ts";

const UUID: readonly Piece[] = [["hex", 8], "-", ["hex", 4], "-", ["hex", 4], "-", ["hex", 4], "-", ["hex", 12]];

const SHAPES: readonly (readonly [string, ...Piece[]])[] = [
  ["github-token", "gho_", ["letters", 36]],
  ["github-fine-grained-token", "github_pat_", ["letters", 22], "_", ["letters", 59]],
  ["gitlab-token", "gldt-", ["word", 20]],
  ["gitlab-token", "glrt-", ["word", 20]],
  ["gitlab-token", "glsoat-", ["word", 20]],
  ["gitlab-token", "glagent-", ["word", 50]],
  ["bitbucket-token", "ATBB", ["letters", 32]],
  ["bitbucket-token", "ATATT3", ["word", 186]],
  ["clojars-token", "CLOJARS_", ["lower", 60]],
  ["artifactory-key", "AKCp", ["letters", 69]],
  ["sonar-token", "sqp_", ["lower", 40]],
  ["harness-token", "pat.", ["word", 22], ".", ["hex", 24], ".", ["letters", 20]],
  ["pulumi-token", "pul-", ["hex", 40]],
  ["prefect-token", "pnu_", ["lower", 36]],
  ["terraform-token", ["lower", 14], ".atlasv1.", ["word", 64]],
  ["vault-token", "hvs.", ["word", 95]],
  ["doppler-token", "dp.pt.", ["lower", 43]],
  ["postman-key", "PMAK-", ["hex", 24], "-", ["hex", 34]],
  ["readme-key", "rdme_", ["lower", 70]],
  ["scalingo-token", "tk-us-", ["word", 48]],
  ["aws-access-key", "AKIA", ["upper", 16]],
  ["aws-bedrock-key", "ABSK", ["base64", 128]],
  ["google-api-key", "AIza", ["word", 35]],
  ["yandex-key", "AQVN", ["word", 36]],
  ["yandex-token", "t1.", ["word", 20], ".", ["word", 86]],
  ["digitalocean-token", "dop_v1_", ["hex", 64]],
  ["planetscale-token", "pscale_pw_", ["word", 43]],
  ["clickhouse-key", "4b1d", ["letters", 38]],
  ["defined-networking-key", "dnkey-", ["lower", 26], "-", ["lower", 52]],
  ["anthropic-key", "sk-ant-admin01-", ["word", 93], "AA"],
  ["openai-key", "sk-proj-", ["word", 74], "T3BlbkFJ", ["word", 74]],
  ["openai-key", "sk-team-2-", ["letters", 20], "T3BlbkFJ", ["letters", 20]],
  ["model-key", "sk-", ["letters", 48]],
  ["huggingface-token", "hf_", ["letters", 34]],
  ["slack-token", "xoxp-", ["digits", 12], "-", ["digits", 12], "-", ["digits", 12], "-", ["hex", 32]],
  ["slack-token", "xoxe-1-", ["letters", 146]],
  ["discord-webhook", "https://discord.com/api/webhooks/", ["digits", 18], "/", ["word", 68]],
  ["discord-token", "M", ["letters", 23], ".G", ["letters", 5], ".", ["word", 38]],
  ["telegram-bot-token", ["digits", 10], ":AA", ["word", 33]],
  ["sendgrid-key", "SG.", ["word", 22], ".", ["word", 43]],
  ["mailgun-key", "key-", ["hex", 32]],
  ["brevo-key", "xkeysib-", ["hex", 64], "-", ["lower", 16]],
  ["twilio-key", "SK", ["hex", 32]],
  ["typeform-token", "tfp_", ["word", 59]],
  ["hubspot-token", "pat-na1-", ...UUID],
  ["notion-token", "ntn_", ["digits", 11], ["letters", 35]],
  ["airtable-token", "pat", ["letters", 14], ".", ["hex", 64]],
  ["frameio-token", "fio-u-", ["word", 64]],
  ["stripe-key", "rk_live_", ["letters", 99]],
  ["square-token", "EAAA", ["word", 60]],
  ["plaid-token", "access-production-", ...UUID],
  ["flutterwave-key", "FLWSECK_TEST-", ["hex", 32], "-X"],
  ["gocardless-token", "live_", ["lower", 40]],
  ["lob-key", "test_", ["hex", 35]],
  ["shopify-token", "shpca_", ["hex", 32]],
  ["easypost-token", "EZAK", ["letters", 54]],
  ["intra42-secret", "s-s4t2ud-", ["hex", 64]],
  ["new-relic-key", "NRAK-", ["upper", 27]],
  ["dynatrace-token", "dt0c01.", ["upper", 24], ".", ["upper", 64]],
  ["sentry-token", "sntryu_", ["hex", 64]],
  ["facebook-token", "EAAC", ["letters", 110]],
  ["twitter-bearer", "A".repeat(22), ["letters", 90]],
  ["authress-key", "sc_", ["lower", 12], ".", ["lower", 5], ".acc-", ["lower", 16], ".", ["word", 44]],
  ["dropbox-token", ["lower", 11], "AAAAAAAAAA", ["word", 43]],
];

describe("findTokens", () => {
  it.each(SHAPES)("finds a %s", (rule, ...pieces) => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const missed = seeds.filter((seed) => {
      // A letter at the end, so that the dot after it is not part of the token
      const text = `Taken from ${draw(seed, ...pieces)}\nfor staging.\n`;
      return !scanForSecrets(text).some((finding) => finding.rule === rule && finding.line === 1);
    });
    expect(missed.length).toBeLessThanOrEqual(1);
  });

  it("finds the service's own", () => {
    const token = draw(7, "tmt_", ["word", 43]);
    expect(scanForSecrets(`Prometheus reads with ${token} here`)).toMatchObject([{ rule: "team-memory-token" }]);
  });

  it("takes a right checksum for a proof, whatever the token looks like", () => {
    // The CRC-32 of thirty letters, in base 62: known from outside
    expect(scanForSecrets(`ghp_${"a".repeat(30)}1yLcDC`)).toEqual([]);
    expect(scanForSecrets(`ghp_${"a".repeat(30)}1yLcDB`)).toHaveLength(1);
  });

  it.each([
    ["the alphabet", ["gh", "p_abcdefghijklmnopqrstuvwxyz0123456789"]],
    ["digits first", ["gh", "p_1234567890abcdefghijklmnopqrstuvwxyz"]],
    ["letters in turn", ["gl", "pat-AbCdEfGhIjKlMnOpQrSt"]],
    ["neighbours", ["AK", "IA2345678ABCDEFGHI"]],
  ])("finds a token written out as %s: only the checksum could tell it from a drawn one", (_name, parts) => {
    expect(scanForSecrets(`Use ${parts.join("")} for now`)).toHaveLength(1);
  });

  it.each([
    ["stars", "ghp_" + "*".repeat(36)],
    ["one letter", `ghp_${"x".repeat(36)}`],
    ["the word example", draw(3, "AKIA", ["upper", 9], "EXAMPLE")],
    ["a repeated part", `glpat-${"abc123".repeat(5)}`],
    ["too few letters", draw(4, "ghp_", ["letters", 20])],
    ["a variable", "sk_live_${STRIPE_KEY_OF_THIS_ACCOUNT}"],
    ["a longer word", draw(5, "TASK", ["hex", 32])],
    ["the name of a function", "sk_test_helper_for_the_integration_suite"],
  ])("lets %s through", (_name, text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });

  it("has rules of one anchor of two characters or more each, in plain ASCII", () => {
    const anchors = [...FORGE_TOKENS, ...CLOUD_TOKENS, ...SERVICE_TOKENS].flatMap((rule) => rule.anchors);
    expect(anchors.filter((anchor) => !/^[\x20-\x7e]{2,}$/.test(anchor))).toEqual([]);
    expect(new Set(anchors).size).toBeGreaterThan(200);
  });

  it("has no rule that may repeat without bound", () => {
    const sources = [...FORGE_TOKENS, ...CLOUD_TOKENS, ...SERVICE_TOKENS].map(({ before = "", body }) => before + body);
    expect(sources.filter((source) => /[*+](?![^[]*\])|,\}/.test(source))).toEqual([]);
  });
});
