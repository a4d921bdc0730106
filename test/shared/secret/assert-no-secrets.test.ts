import { describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { assertNoSecrets } from "../../../shared/secret/assert-no-secrets.ts";
import { draw } from "./drawn.ts";

const TOKEN = draw(21, "ghp_", ["letters", 36]);
const PASSWORD = draw(22, ["letters", 20]);

function refusalOf(key: string, text: string) {
  try {
    assertNoSecrets(key, text);
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
  throw new Error("Nothing was thrown");
}

describe("assertNoSecrets", () => {
  it("lets an ordinary memory pass", () => {
    expect(() => assertNoSecrets("feedback_testing.md", "---\nname: x\n---\n\nRun the tests.\n")).not.toThrow();
  });

  it("names key, rule and line of a secret in the frontmatter and the body", () => {
    const error = refusalOf("db.md", `---\nname: x\ntoken: ${TOKEN}\n---\n\npassword: ${PASSWORD}\n`);
    expect(error.code).toBe("secret_found");
    expect(error.message).toBe("Cannot propose db.md: line 3 holds a secret (github-token): ghp_***, and 1 more");
    expect(error.details).toEqual({
      key: "db.md",
      findings: [
        { rule: "github-token", line: 3, masked: "ghp_***" },
        { rule: "password", line: 6, masked: "***" },
      ],
    });
  });

  it.each([
    ["its key", `notes/${TOKEN}.md`, "nothing"],
    ["its key, hidden", `notes/${TOKEN.slice(0, 9)}\u200b${TOKEN.slice(9)}.md`, "nothing"],
    ["its text", "a.md", `${TOKEN}\npostgres://app:${PASSWORD}@db.internal/x\n`],
    ["both", `${TOKEN}.md`, `password = ${PASSWORD}`],
  ])("never holds the secret: in %s", (_name, key, text) => {
    const { message, details, stack, cause } = refusalOf(key, text);
    const told = JSON.stringify([message, details, stack, cause ?? null]);
    for (const secret of [TOKEN, PASSWORD]) {
      for (let at = 4; at + 4 <= secret.length; at++) expect(told).not.toContain(secret.slice(at, at + 4));
    }
  });

  it("says that the key holds it, and shows its prefix alone", () => {
    const error = refusalOf(`notes/${TOKEN}.md`, "nothing");
    expect(error.message).toBe("Cannot propose ghp_***: its name holds a secret (github-token): ghp_***");
    expect(error.details).toEqual({ key: "ghp_***", findings: [{ rule: "github-token", line: 0, masked: "ghp_***" }] });
  });

  it("shows a hostile key escaped", () => {
    expect(refusalOf("a\u202eb.md", TOKEN).details["key"]).toBe("a\\u{202e}b.md");
  });
});
