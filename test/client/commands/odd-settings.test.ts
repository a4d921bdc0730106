import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { leave } from "../../../client/commands/leave.ts";
import { installedClientPath } from "../../../client/install/install-client.ts";
import { installRecordPath } from "../../../client/install/install-record.ts";
import { locate } from "../../../client/memory/locate.ts";
import { userConfigPath } from "../../../client/user-config.ts";
import { EXIT } from "../../../shared/errors/codes.ts";
import { giveAway, unprivileged } from "../../security/paths/support.ts";
import { type Clone, cloneOf, linkOf, runJoin, settingsOf, WELCOME } from "./clone-support.ts";
import { fakeService, optionsOf, recordingIo } from "./join-support.ts";

/** Each puts something at the path that nothing of ours can be written to. */
const ODD: Readonly<Record<string, (path: string) => unknown>> = {
  "a link that leads nowhere": (path) => symlinkSync("/nowhere/at/all", path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a link into a folder that takes no files": (path) => symlinkSync("/proc/self/limits", path),
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a folder": (path) => mkdirSync(path),
};

/** Every file of ours and the host's that join writes beside the repository. */
const PLACES: Readonly<Record<string, (clone: Clone) => string>> = {
  "the host's settings": ({ home }) => join(home, ".claude/settings.json"),
  "their backup": ({ home }) => join(home, ".claude/settings.json.team-memory-backup"),
  "the record of what was installed": ({ env }) => installRecordPath(env),
  "the installed client": ({ env }) => installedClientPath(env),
  "its own settings": ({ env }) => userConfigPath(env),
};

const FOLDERS: typeof PLACES = {
  "the host's folder": ({ home }) => join(home, ".claude"),
  "its folder for data": ({ env }) => env.dataDir,
  "its folder for state": ({ env }) => env.stateDir,
  "its folder for settings": ({ env }) => env.configDir,
  "the place's state": ({ env, cwd }) => locate({ cwd, env }).stateFolder,
};

/** Names alone: what a pipe or a loop holds is not to be read. */
const listAll = (folder: string) => (readdirSync(folder, { recursive: true }) as string[]).sort();

async function leaveIt(clone: Clone) {
  const { io, printed } = recordingIo();
  const exit = await leave(optionsOf(clone, { all: true }), io);
  return { exit, said: printed.lines.join("\n") };
}

describe("join where what it has to write cannot be written", () => {
  it.each(Object.keys({ ...PLACES, ...FOLDERS }))(
    "changes nothing for %s, and does not use the invite",
    async (place) => {
      const clone = await cloneOf();
      const path = { ...PLACES, ...FOLDERS }[place]?.(clone) ?? "";
      mkdirSync(dirname(path), { recursive: true });
      if (place === "their backup") writeFileSync(join(clone.home, ".claude/settings.json"), "{}");
      const service = await fakeService(WELCOME);
      for (const [odd, put] of Object.entries(ODD)) {
        if (odd === "a folder" && place in FOLDERS) continue;
        put(path);
        const before = listAll(clone.home);
        const failed = await runJoin(clone, {}, linkOf(service)).catch(({ code }) => code);
        expect([odd, failed]).toEqual([odd, expect.stringMatching(/^(disk|settings_invalid)$/)]);
        expect([odd, listAll(clone.home)]).toEqual([odd, before]);
        rmSync(path, { recursive: true });
      }
      expect(service.asked).toEqual([]);
    },
  );

  it("a folder that is not ours to write to is noticed before, too", async () => {
    const clone = await cloneOf();
    mkdirSync(join(clone.home, "store"));
    writeFileSync(join(clone.home, "store/settings.json"), "{}");
    mkdirSync(join(clone.home, ".claude"));
    symlinkSync("../store/settings.json", join(clone.home, ".claude/settings.json"));
    chmodSync(join(clone.home, "store"), 0o555);
    giveAway(clone.folder, clone.home, join(clone.home, ".claude"));
    const service = await fakeService(WELCOME);
    await unprivileged(() =>
      expect(runJoin(clone, {}, linkOf(service))).rejects.toMatchObject({
        code: "disk",
        message: `Cannot make a file in: ${join(clone.home, "store")}`,
      }),
    );
    expect(service.asked).toEqual([]);
  });

  it("settings that nobody can write are left alone with --no-install", async () => {
    const clone = await cloneOf();
    mkdirSync(join(clone.home, ".claude"));
    ODD["a link that leads nowhere"]?.(join(clone.home, ".claude/settings.json"));
    const service = await fakeService(WELCOME);
    expect(await runJoin(clone, { "no-install": true }, linkOf(service))).toMatchObject({ exit: EXIT.ok });
  });
});

describe("join that fails behind the invite", () => {
  it("says how to go on, and goes on", async () => {
    const clone = await cloneOf();
    const settings = join(clone.home, ".claude/settings.json");
    const service = await fakeService({
      ...WELCOME,
      get "POST /v1/join"() {
        // Between the rehearsal and the play.
        mkdirSync(settings, { recursive: true });
        return WELCOME["POST /v1/join"] ?? "hang up";
      },
    });
    const failed = await runJoin(clone, {}, linkOf(service)).catch((error) => error);
    expect(failed).toMatchObject({ code: "disk", message: `Not a plain file: ${settings}` });
    expect(failed.details.usage).toMatch(/go on without the link: npx -y \S+\/client\.tgz join$/);
    rmSync(settings, { recursive: true });
    expect(await runJoin(clone)).toMatchObject({ exit: EXIT.ok });
    expect(await settingsOf(clone.home)).toContain("session-start");
  });
});

describe("leave where something cannot be undone", () => {
  it("undoes the rest where the settings have become no file of ours, and is done", async () => {
    const clone = await cloneOf();
    const service = await fakeService(WELCOME);
    const settings = join(clone.home, ".claude/settings.json");
    for (const [odd, put] of Object.entries(ODD)) {
      await runJoin(clone, {}, linkOf(service));
      rmSync(settings);
      put(settings);
      const first = await leaveIt(clone);
      expect([odd, first.exit, first.said]).toEqual([odd, EXIT.ok, expect.stringContaining("client is removed")]);
      expect([odd, await leaveIt(clone)]).toEqual([odd, { exit: EXIT.ok, said: "Nothing was joined" }]);
      rmSync(settings, { recursive: true });
    }
  });

  it("says which settings still run the client, keeps it for them, and finishes once they can be changed", async () => {
    const clone = await cloneOf();
    await runJoin(clone, {}, linkOf(await fakeService(WELCOME)));
    const settings = join(clone.home, ".claude/settings.json");
    const whole = await settingsOf(clone.home);
    writeFileSync(settings, whole.slice(0, -3));
    for (const joined of ["Left", "Nothing was joined"]) {
      const { exit, said } = await leaveIt(clone);
      expect(exit).toBe(EXIT.disk);
      expect(said).toMatch(new RegExp(`^${joined}`));
      expect(said).toContain(`Not undone: The hooks in ${settings}: Could not change the host's settings`);
      expect(said).toContain("run team-memory leave again");
    }
    expect(readdirSync(clone.env.dataDir).sort()).toEqual(["client", "install.json"]);
    writeFileSync(settings, whole);
    expect(await leaveIt(clone)).toMatchObject({ exit: EXIT.ok });
    expect(listAll(clone.home).filter((name) => /settings\.json|\/team-memory$/.test(name))).toEqual([]);
  });

  it("forgets the other places where one cannot be worked on", async () => {
    const clone = await cloneOf();
    await runJoin(clone, {}, linkOf(await fakeService(WELCOME)));
    const { stateFolder } = locate(clone);
    const other = join(clone.env.stateDir, encodeURIComponent("/gone/memory"));
    writeFileSync(other, "a file where the folder would be");
    const { exit, said } = await leaveIt(clone);
    expect(exit).toBe(EXIT.disk);
    expect(said).toContain(`Not undone: The team's memories in ${other}`);
    expect(existsSync(stateFolder)).toBe(false);
  });
});
