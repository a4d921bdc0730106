import { lstat, readFile } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { joinAs } from "../../../client/commands/join.ts";
import type { Variables } from "../../../client/config.ts";
import { git } from "../../support/git.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { machineAt, makeRepository, writeFiles } from "../memory/support.ts";
import { type Answers, type FakeService, optionsOf, recordingIo } from "./join-support.ts";

export const SHOP = "github.com/acme/shop";
export const FORK = "github.com/ada/shop";
export const TOKEN = "tmt_abcdefghijklmnop";
export const CODE = "tmi_0123456789abcdef";

const joinedAs = (role: string) => ({
  status: 200,
  body: {
    token: TOKEN,
    person: { id: "01J", name: "Ada", email: "ada@example.org" },
    role,
    projects: ["*"],
    server: { url: "http://ignored.example.org", version: "0.1.0", protocol: "1.0" },
  },
});

const NOTHING = { tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", revision: "0".repeat(40), quarantined: 0 };
export const headOf = (project: string) => `GET /v1/projects/${project.replaceAll("/", "~")}/head`;
export const memoriesOf = (project: string) => `GET /v1/projects/${project.replaceAll("/", "~")}/memories`;

/** A project that nobody has written about yet. */
export const empty = (project: string): Answers => ({
  [headOf(project)]: { status: 200, body: { project, ...NOTHING, memories: 0, openProposals: 0 } },
  [memoriesOf(project)]: { status: 200, body: { project, ...NOTHING, full: true, upserts: [], removals: [] } },
});

export const WELCOME: Answers = { "POST /v1/join": joinedAs("contributor"), ...empty(SHOP) };

export async function cloneOf(
  remotes: Readonly<Record<string, string>> = { origin: `git@${SHOP.replace("/", ":")}.git` },
) {
  const folder = await tempDir();
  const cwd = await makeRepository(joinPath(folder, "shop"));
  for (const [name, url] of Object.entries(remotes)) await git(cwd, ["remote", "add", name, url]);
  const variables: Variables = { HOME: joinPath(folder, "home"), PATH: process.env["PATH"] };
  const { env, home } = machineAt(folder, variables);
  await writeFiles(home, { ".gitconfig": "[user]\n\tname = Ada Git\n\temail = ada@git.example.org\n" });
  await writeFiles(folder, { "bundle/team-memory.cjs": "// client\n" });
  return { folder, cwd, env, home, bundle: joinPath(folder, "bundle/team-memory.cjs") };
}

export type Clone = Awaited<ReturnType<typeof cloneOf>>;

export async function runJoin(clone: Clone, values: Record<string, string | boolean> = {}, link?: string) {
  const { io, printed } = recordingIo();
  const running = { file: clone.bundle, version: "0.1.0" };
  const exit = await joinAs(running, optionsOf(clone, values, link === undefined ? [] : [link]), io);
  return { exit, printed };
}

export const linkOf = (service: Pick<FakeService, "url">) => `${service.url}/join#${CODE}`;
export const settingsOf = (home: string) => readFile(joinPath(home, ".claude/settings.json"), "utf8");
export const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
