import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scanForSecrets } from "../../../shared/secret/scan.ts";
import { draw } from "./drawn.ts";

const ROOT = join(import.meta.dirname, "../../..");
const sha512 = draw(1, ["base64", 86]);
const PIXELS = Buffer.from(Array.from({ length: 3_000 }, (_, index) => (index * 7919) % 251)).toString("base64");

describe("scanForSecrets, of what memories are full of", () => {
  it.each([
    ["a commit", `Broke in ${draw(1, ["hex", 40])}, fixed in ${draw(2, ["hex", 7])}.`],
    ["a UUID", "session 3b1e0c52-8d4f-4a6b-9c7e-1f2a3b4c5d6e"],
    ["a ULID", "proposal 01HQ3ZK5V7W8X9Y0ABCDEFGHJK"],
    ["an image", `![x](data:image/png;base64,${PIXELS})`],
    ["a line of package-lock", `"integrity": "sha512-${sha512}==",`],
    ["a line of yarn.lock", `resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${draw(3, ["hex", 40])}"`],
    ["a line of go.sum", `golang.org/x/net v0.17.0 h1:${draw(4, ["base64", 43])}=`],
    ["a Nix hash", `hash = "sha256-${draw(5, ["base64", 43])}=";`],
    ["a container image", `ghcr.io/acme/shop@sha256:${draw(6, ["hex", 64])}`],
    ["an address", "See https://wiki.acme.dev/x/AbCd12Ef?pageId=9912334&src=key-results#Section-2.1"],
    ["a path", "/home/ada/src/shop/packages/api-v2/src/auth/token-store.test.ts:120"],
    ["colours", "--primary: #1a2b3c4d; --token-color: #ff00aa99;"],
    ["an SSH public key", `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${draw(7, ["base64", 340])} ada@laptop`],
    ["a fingerprint", `key fingerprint SHA256:${draw(8, ["base64", 43])}`],
    ["a trace", "at Object.<anonymous> (node:internal/modules/cjs/loader:1105:14)"],
    ["a regular expression", "token = /^[A-Za-z0-9_-]{20,}$/"],
    ["a publishable key", `publishable key pk_live_${draw(9, ["letters", 24])}`],
    ["an error", "AuthError: token_expired (request 8f7k2-9d3m1, code E4031x)"],
    ["a table of limits", "| key | bound |\n| --- | --- |\n| token_ttl | 3600s |\n| secret_rotation | 90d |"],
    ["YAML of a pipeline", "env:\n  TOKEN: ${{ secrets.GITHUB_TOKEN }}\n  KEY: ${{ secrets.API_KEY_2 }}"],
    ["the keyring", "Keep secrets in 1Password; the token for CI2 is rotated by Ada every 90 days."],
    ["a type", "function login(password: string, token?: AccessTokenV2): Promise<Session2> {"],
    ["other scripts", "パスワードは1Passwordにあります。ключ лежит в Vault. 密码在保险箱里。"],
    ["emoji", "🔑 key rotation 👩‍💻: ask in #team-2"],
  ])("lets %s through", (_name, text) => {
    expect(scanForSecrets(text)).toEqual([]);
  });

  const documents = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
  it.each(documents)("lets the project's own %s through", (name) => {
    expect(scanForSecrets(readFileSync(join(ROOT, name), "utf8"))).toEqual([]);
  });
});
