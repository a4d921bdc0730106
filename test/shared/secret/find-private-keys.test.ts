import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../shared/limits.ts";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw } from "./drawn.ts";

const LINES = [1, 2, 3].map((seed) => draw(seed, ["base64", 64]));

function block(kind: string, lines: readonly string[] = LINES, dashes = "-----"): string {
  return `${dashes}BEGIN ${kind}${dashes}\n${lines.join("\n")}\n${dashes}END ${kind}${dashes}\n`;
}

describe("findPrivateKeys", () => {
  it.each([
    ["PKCS #8", block("PRIVATE KEY")],
    ["encrypted", block("ENCRYPTED PRIVATE KEY")],
    ["EC", block("EC PRIVATE KEY")],
    ["OpenSSH", block("OPENSSH PRIVATE KEY")],
    ["PGP", block("PGP PRIVATE KEY BLOCK", ["Version: 2", "Comment: of the team", "", ...LINES])],
    ["SSH2", block("SSH2 ENCRYPTED PRIVATE KEY", LINES, "---- ").replaceAll(" ----", " ----")],
    ["with headers", block("RSA PRIVATE KEY", ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0A1B", "", ...LINES])],
    ["quoted", block("RSA PRIVATE KEY").replace(/^/gm, "> ")],
    ["in JSON", JSON.stringify({ private: block("PRIVATE KEY") })],
    ["with its end cut off", `-----BEGIN PRIVATE KEY-----\n${LINES[0]}`],
    ["PuTTY", `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n${LINES[0]}\n`],
  ])("finds a key: %s", (_name, text) => {
    expect(scanForSecrets(text)).toContainEqual(expect.objectContaining({ rule: "private-key" }));
  });

  it("looks for the key's letters within a bound", () => {
    const blanks = (length: number) => `-----BEGIN PRIVATE KEY-----${" ".repeat(length)}${LINES[0]}`;
    const bound = LIMITS.secretKeyBlockLengthMax;
    expect(scanForSecrets(blanks(bound - 64))).toHaveLength(1);
    expect(scanForSecrets(blanks(bound))).toEqual([]);
  });

  it("finds an OpenSSH key without its first line", () => {
    expect(scanForSecrets(`b3BlbnNzaC1rZXktdjE${LINES[0]}`)).toHaveLength(1);
  });

  it.each([
    ["a certificate", block("CERTIFICATE")],
    ["a public key", block("PUBLIC KEY")],
    ["a PGP public key", block("PGP PUBLIC KEY BLOCK")],
    ["a PGP signature", block("PGP SIGNATURE")],
    ["an ellipsis", block("RSA PRIVATE KEY", ["..."])],
    ["a shortened key", block("RSA PRIVATE KEY", ["MIIEpAIBAAKCAQEA..."])],
    ["a sentence", "A file that starts with -----BEGIN PRIVATE KEY----- never belongs into the repository, ask Ada."],
    ["an SSH public key", `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${draw(4, ["base64", 43])} ada@laptop`],
    ["an age recipient", `age1${draw(5, ["lower", 58])}`],
  ])("lets through %s", (_name, text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });
});
