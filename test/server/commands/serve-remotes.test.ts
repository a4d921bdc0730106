import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { invite } from "../../../server/commands/invite.ts";
import { token } from "../../../server/commands/token.ts";
import type { ServerIo } from "../../../server/io.ts";
import { memoryText } from "../../support/memory-text.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { commitOnRemote, type RemoteServer, refOnRemote, startRemote, TOKEN } from "../git/remote/support.ts";
import { BASE } from "../git/support.ts";
import { type Printed, start } from "./start-service.ts";

const TEXT = memoryText("Testing", "how we test", "feedback");
const SHOP = "github.com~acme~shop";
const THING = "github.com~other~thing";
const PUBLIC_URL = "https://memory.example.org";

async function tokenFile(): Promise<string> {
  const path = join(await tempDir(), "token");
  await writeFile(path, `${TOKEN}\n`);
  return path;
}

async function remotesFile(acme: RemoteServer, other: RemoteServer): Promise<string> {
  const path = join(await tempDir(), "remotes.yaml");
  const rows = [
    `  - { name: acme, url: "${acme.url}", token-file: ${await tokenFile()}, projects: [github.com/acme/*] }`,
    `  - { name: other, url: "${other.url}", token-file: ${await tokenFile()}, projects: ["*"], review: direct }`,
  ];
  await writeFile(path, `remotes:\n${rows.join("\n")}\n`);
  return path;
}

async function ask({ app }: Printed, data: string, method: "GET" | "PUT" | "POST", url: string, payload?: object) {
  const admin = (await readFile(join(data, "admin-token"), "utf8")).trim();
  const headers = { authorization: `Bearer ${admin}` };
  const answer = await app.inject({ method, url: `/v1/projects/${url}`, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}

function propose(service: Printed, data: string, project: string, key: string, id = ulid()) {
  const changes = [{ key, baseBlob: null, text: TEXT }];
  return ask(service, data, "PUT", `${project}/proposals/${id}`, { seq: 1, changes });
}

function down(remote: RemoteServer): void {
  remote.before = (request) => request.socket.destroy().destroyed;
}

/** What a command prints for programs. */
async function printed(command: typeof invite, values: object, ...positionals: readonly string[]): Promise<string> {
  const lines: unknown[] = [];
  const io = { json: true, result: (data: unknown) => void lines.push(data), err: () => {} } as unknown as ServerIo;
  await command({ values: { ...values }, positionals }, io);
  return JSON.stringify(lines);
}

describe("serve --config", { timeout: 60_000 }, () => {
  it("serves two remotes; another start, and the other commands, need the data folder alone", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    const data = join(await tempDir(), "data");
    const first = await start({ data, config: await remotesFile(acme, other), "public-url": PUBLIC_URL });
    const id = ulid();
    expect(await propose(first, data, SHOP, "a.md", id)).toMatchObject({ status: 201 });
    expect(await refOnRemote(acme, `refs/heads/team-memory/${id}`)).not.toBeNull();
    expect(await propose(first, data, THING, "b.md")).toMatchObject({ status: 200, body: { state: "merged" } });
    expect(await ask(first, data, "GET", `${THING}/head`)).toMatchObject({ body: { memories: 1 } });
    await first.stop();

    expect(await printed(invite, { data })).toContain(`${PUBLIC_URL}/join#`);
    expect(await printed(token, { data }, "list")).toContain("admin");
    const again = await start({ data });
    expect(again.result.join.command).toContain(PUBLIC_URL);
    expect(await ask(again, data, "GET", `${SHOP}/proposals`)).toMatchObject({
      status: 200,
      body: { proposals: [{ id }] },
    });
    await again.stop();
    await expect(start({ data, remote: other.url })).rejects.toMatchObject({ code: "config_invalid" });
  });

  it("answers for a remote that is down with 503 and the others as ever, also after a restart", async () => {
    const [acme, other] = [await startRemote(), await startRemote()];
    await commitOnRemote(other, BASE, "projects/github.com/other/thing/team/b.md", TEXT);
    const data = join(await tempDir(), "data");
    const config = await remotesFile(acme, other);
    down(other);
    const first = await start({ data, config });
    const unreachable = { status: 503, body: { error: { code: "remote_unreachable" } } };
    expect(await ask(first, data, "GET", `${THING}/head`)).toMatchObject(unreachable);
    expect(await propose(first, data, THING, "c.md")).toMatchObject(unreachable);
    expect(await propose(first, data, SHOP, "a.md")).toMatchObject({ status: 201 });
    await first.stop();
    other.before = () => false;
    const second = await start({ data });
    expect(await ask(second, data, "GET", `${THING}/head`)).toMatchObject({ status: 200, body: { memories: 1 } });
    await second.stop();
    down(other);
    const third = await start({ data });
    expect(await ask(third, data, "GET", `${THING}/head`)).toMatchObject({ status: 200, body: { memories: 1 } });
    expect(await propose(third, data, THING, "c.md")).toMatchObject(unreachable);
  });
});

describe("serve --remote", { timeout: 60_000 }, () => {
  it("starts while its remote is down, for those who have joined, and says why there is no join line", async () => {
    const remote = await startRemote();
    await commitOnRemote(remote, BASE, "projects/github.com/acme/shop/team/a.md", TEXT);
    const data = join(await tempDir(), "data");
    const first = await start({ data, remote: remote.url, "remote-token-file": await tokenFile() });
    const list = JSON.parse(await printed(token, { data }, "list")) as [{ invites: [{ id: string }] }];
    await printed(token, { data }, "revoke", list[0].invites[0].id);
    await first.stop();
    down(remote);
    const again = await start({ data });
    expect(again.lines).toContain("nobody new can join until it is back");
    expect(await ask(again, data, "GET", `${SHOP}/head`)).toMatchObject({ status: 200, body: { memories: 1 } });
  });
});
