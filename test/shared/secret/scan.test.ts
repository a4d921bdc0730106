import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { EVASION_CASES, SECRET_CASES } from "./corpora.ts";
import { draw } from "./drawn.ts";

const TOKEN = draw(1, "ghp_", ["letters", 36]);
const rulesOf = (text: string) => scanForSecrets(text).map(({ rule }) => rule);

describe("scanForSecrets", () => {
  const secrets = SECRET_CASES.filter(({ mustDetect }) => mustDetect);
  const harmless = SECRET_CASES.filter(({ mustDetect }) => !mustDetect);

  it("finds all secrets of the corpus", () => {
    expect(secrets.filter(({ text }) => scanForSecrets(text).length === 0).map(({ rule }) => rule)).toEqual([]);
    expect(secrets.length).toBeGreaterThan(100);
  });

  it("finds none in its harmless texts", () => {
    expect(harmless.filter(({ text }) => scanForSecrets(text).length > 0).map(({ text }) => text)).toEqual([]);
    expect(harmless.length).toBeGreaterThan(100);
  });

  it.each(EVASION_CASES)("$id, $name: $recommend", ({ text, recommend }) => {
    const padded = text.replace("PAD", "x".repeat(1.5 * 1024 * 1024));
    expect(scanForSecrets(padded).length > 0).toBe(recommend !== "not expected");
  });

  it("never shows a character of the secret part", () => {
    for (const { text, parts } of secrets) {
      const shown = scanForSecrets(text).map(({ masked }) => masked);
      for (const masked of shown) expect(masked).toMatch(/\*{3}$/);
      const random = parts.filter((part) => part.length >= 4 && /\d/.test(part) && /[a-z]/.test(part));
      const body = shown
        .map((masked) => masked.replace(/^(?:[A-Za-z0-9+]{1,24}:\/\/|-----BEGIN |[\w~.+/-]{2,24}=?)\*/, ""))
        .join(" ");
      for (const part of random) expect(body).not.toContain(part);
    }
  });

  it("says what, where and how it begins", () => {
    expect(scanForSecrets(`---\nname: x\n---\n\nUse ${TOKEN}.\n`)).toEqual([
      { rule: "github-token", line: 5, masked: "ghp_***" },
    ]);
  });

  it("names a secret once a line", () => {
    expect(scanForSecrets(`token = ${TOKEN} ${TOKEN}\n${TOKEN}\n`).map(({ line }) => line)).toEqual([1, 2]);
  });

  it.each([
    ["gitleaks:allow", "# gitleaks:allow"],
    ["nosecret", "// nosecret"],
    ["pragma", "# pragma: allowlist secret"],
    ["nosec", "# nosec"],
    ["trufflehog", "# trufflehog:ignore"],
    ["noqa", "# noqa: S105"],
  ])("is not turned away by %s", (_name, comment) => {
    expect(rulesOf(`${comment}\n${TOKEN} ${comment}\n${comment}\n`)).toEqual(["github-token"]);
  });

  it("tells a bounded number of findings", () => {
    const lines = (count: number) => `${TOKEN}\n`.repeat(count);
    expect(scanForSecrets(lines(LIMITS.secretFindingsMax))).toHaveLength(LIMITS.secretFindingsMax);
    expect(scanForSecrets(lines(LIMITS.secretFindingsMax + 1))).toHaveLength(LIMITS.secretFindingsMax);
  });

  it("decodes a bounded number of times", () => {
    const encode = (text: string, times: number): string =>
      times === 0 ? text : encode(Buffer.from(text).toString("base64"), times - 1);
    expect(rulesOf(encode(`key ${TOKEN}`, LIMITS.secretDecodeDepthMax))).toEqual(["github-token"]);
    expect(rulesOf(encode(`key ${TOKEN}`, LIMITS.secretDecodeDepthMax + 1))).toEqual([]);
  });

  it("is the same whatever was scanned before", () => {
    const first = scanForSecrets(TOKEN);
    scanForSecrets("nothing here");
    expect(scanForSecrets(TOKEN)).toEqual(first);
  });
});
