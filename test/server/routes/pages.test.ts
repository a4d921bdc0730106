import { describe, expect, it } from "vitest";
import { findGitBinary } from "../../../server/git/git-binary.ts";
import { openTestApp, PUBLIC_URL } from "../open-test-app.ts";

describe.each(["/", "/join"])("GET %s", (url) => {
  it.each([
    { name: "with git", git: true, isMirror: false, servesGit: true },
    { name: "on a machine without git", git: false, isMirror: false, servesGit: false },
    { name: "that follows a shared remote", git: true, isMirror: true, servesGit: false },
  ])("of a service $name names the address of git: $servesGit", async ({ git, isMirror, servesGit }) => {
    const gitBinary = git ? await findGitBinary(undefined) : null;
    const { app } = await openTestApp({ gitBinary, options: { isMirror } });
    const { statusCode, body } = await app.inject({ url });
    expect([statusCode, body.includes("/git/memory.git")]).toEqual([200, servesGit]);
    expect(body).toContain(`npx -y ${PUBLIC_URL}/client.tgz join <link>`);
    expect(body.includes("team-memory review list")).toBe(!servesGit);
  });
});
