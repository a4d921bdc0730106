import { describe, expect, it } from "vitest";
import { findGitBinary } from "../../../server/git/git-binary.ts";
import { ERROR_CODES } from "../../../shared/errors/codes.ts";
import { gitEnvironment } from "../../support/git.ts";
import { run } from "../../support/run.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openPort, openTestApp } from "../open-test-app.ts";

describe("/git", () => {
  it.each([
    { who: "a token of nobody's", token: async () => "wrong", code: "unauthorized" },
    { who: "a role on some projects", token: "github.com/acme/*", code: "forbidden" },
  ] as const)("refuses $who in words that git shows", async ({ token, code }) => {
    const { app, tokenFor } = await openTestApp({ gitBinary: await findGitBinary(undefined) });
    const password = typeof token === "string" ? await tokenFor("reader", token) : await token();
    const url = `http://git:${password}@127.0.0.1:${await openPort(app)}/git/memory.git`;
    const folder = await tempDir();
    const { code: exit, stderr } = await run("git", ["clone", url], { cwd: folder, env: gitEnvironment(folder) });
    expect(exit).not.toBe(0);
    expect(stderr).toMatch(new RegExp(`^remote: Could not .*\\(${code}\\)`, "m"));
    expect(stderr).toContain(`remote: ${ERROR_CODES[code].remedy}`);
  });

  it("keeps the inside of a failure out of the words, and names the request", async () => {
    const { app, tokenFor } = await openTestApp();
    const authorization = `Basic ${Buffer.from(`git:${await tokenFor("admin")}`).toString("base64")}`;
    const url = "/git/memory.git/info/refs?service=git-upload-pack";
    const answer = await app.inject({ url, headers: { authorization } });
    expect(answer.statusCode).toBe(501);
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.body).toContain(`(git_required)\nRequest id ${answer.headers["x-request-id"]}`);
  });

  it("names the remote where the repository here follows one, whether this machine has git or not", async () => {
    const gitBinary = await findGitBinary(undefined);
    const { app, tokenFor } = await openTestApp({ gitBinary, options: { isMirror: true } });
    const authorization = `Basic ${Buffer.from(`git:${await tokenFor("admin")}`).toString("base64")}`;
    const url = "/git/memory.git/info/refs?service=git-upload-pack";
    const answer = await app.inject({ url, headers: { authorization } });
    expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining("clone the team's git remote")]);
  });

  it("answers JSON beside it", async () => {
    const { app } = await openTestApp();
    expect((await app.inject("/gitignore")).json()).toMatchObject({ error: { code: "not_found" } });
  });
});
