/** The set-up step as the compose file runs it: a real shell and curl, the forge's program and its API stood in for. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../architecture/source-tree.ts";
import { run } from "../support/run.ts";
import { tempDir } from "../support/temp-dir.ts";

const TOKEN = "0123456789abcdef0123456789abcdef01234567";
const HOOK = "http://127.0.0.1:7357/v1/webhooks/gitea";

/** A Gitea of one account: its program as a script, its API as a server. */
async function startGitea() {
  const folder = await tempDir();
  const bin = join(folder, "bin");
  await mkdir(bin);
  const program = `#!/bin/sh
case "$2 $3" in
  "user list") printf 'ID Username Email\\n'; [ -e ${folder}/user ] && printf '1 team-memory x@y\\n'; exit 0 ;;
  "user create") touch ${folder}/user ;;
  "user generate-access-token") echo made >> ${folder}/tokens; [ -e ${folder}/no-token ] || echo ${TOKEN} ;;
esac
`;
  await writeFile(join(bin, "gitea"), program, { mode: 0o755 });
  const state = {
    repositories: 0,
    hooks: [] as { config: { url: string; secret: string } }[],
    calls: [] as string[],
    down: false,
  };
  const server = createServer(async (request, response) => {
    state.calls.push(`${request.method} ${request.url}`);
    const answer = state.down ? [502, {}] : await answerCall(state, request);
    response.writeHead(Number(answer[0])).end(JSON.stringify(answer[1]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const secrets = join(folder, "secrets");
  const env = {
    PATH: `${bin}:${process.env["PATH"]}`,
    GITEA_API: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    SECRETS: secrets,
  };
  return { folder, secrets, state, setUp: () => run("sh", [`${ROOT}deploy/set-up-gitea.sh`], { cwd: folder, env }) };
}

type State = Awaited<ReturnType<typeof startGitea>>["state"];

async function answerCall(state: State, request: IncomingMessage): Promise<readonly [number, unknown]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (request.headers.authorization !== `token ${TOKEN}`) return [401, {}];
  if (request.url === "/api/v1/user/repos") return [state.repositories++ === 0 ? 201 : 409, {}];
  if (request.method === "GET") return [200, state.hooks];
  state.hooks.push(JSON.parse(Buffer.concat(chunks).toString()));
  return [201, {}];
}

describe("deploy/set-up-gitea.sh", () => {
  it("makes account, token, repository and webhook once, however often it runs", async () => {
    const { folder, secrets, state, setUp } = await startGitea();
    for (let times = 0; times < 3; times += 1) expect(await setUp()).toMatchObject({ code: 0, stderr: "" });
    expect(state.hooks).toHaveLength(1);
    const secret = await readFile(join(secrets, "webhook-secret"), "utf8");
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(state.hooks[0]?.config).toMatchObject({ url: HOOK, secret });
    expect((await readFile(join(secrets, "forge-token"), "utf8")).trim()).toBe(TOKEN);
    expect((await readFile(join(folder, "tokens"), "utf8")).trim()).toBe("made");
    expect((await readdir(secrets)).sort()).toEqual(["forge-token", "webhook-secret"]);
    for (const name of await readdir(secrets)) expect((await stat(join(secrets, name))).mode & 0o077).toBe(0);
  });

  it("prints neither the token nor the secret", async () => {
    const { secrets, setUp } = await startGitea();
    const { stdout, stderr } = await setUp();
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(stdout + stderr).not.toContain(await readFile(join(secrets, "webhook-secret"), "utf8"));
  });

  it("goes on where a run before it ended: no half of a secret is kept, and what is missing is made", async () => {
    const { folder, secrets, state, setUp } = await startGitea();
    await writeFile(join(folder, "no-token"), "");
    expect((await setUp()).code).not.toBe(0);
    expect(await readdir(secrets)).not.toContain("forge-token");
    await rm(join(folder, "no-token"));
    state.down = true;
    const failed = await setUp();
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain("it answered 502");
    state.down = false;
    expect(await setUp()).toMatchObject({ code: 0 });
    expect(state.hooks).toHaveLength(1);
  });
});
