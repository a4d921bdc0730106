import { join } from "node:path";
import { ulid } from "ulid";
import { describe, expect, it, onTestFinished } from "vitest";
import { openProposalsApi, type ProposalsApi } from "../simulation/proposals-api.ts";
import { CLIENT_BUNDLE, type Home, makeHome } from "../support/home.ts";
import { memoryText } from "../support/memory-text.ts";
import { joinByApi } from "../support/people.ts";
import { randomFrom } from "../support/random.ts";
import { run } from "../support/run.ts";
import { invite, startService, UNLIMITED } from "../support/service.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findLeftovers, readTeamFiles } from "./team-files.ts";

/** Each takes a pull that is killed and one that heals it: `KILLS=100` for a long run. */
const KILLS = Number(process.env["KILLS"] ?? 10);
/** Pulls that end before they are killed count for nothing; more than this to one kill means that none is. */
const PULLS_PER_KILL_MAX = 20;
const KEYS = Array.from({ length: 30 }, (_, at) => `${at % 3 === 0 ? "deep/er/" : ""}project_${at}.md`);

describe("a client that only pulls", () => {
  it(`killed ${KILLS} times leaves no torn file, and one run heals it`, async () => {
    const seed = Date.now();
    const { home, team, lifeMs, random } = await openScene(seed);
    let killed = 0;
    for (let pulls = 0; killed < KILLS && pulls < KILLS * PULLS_PER_KILL_MAX; pulls += 1) {
      await team.change();
      if (!(await pullAndKill(home, (0.2 + random()) * lifeMs))) continue;
      killed += 1;
      expect(await findTorn(home, team), `seed ${seed}, kill ${killed}`).toEqual([]);
      expect(await home.client("pull"), `seed ${seed}, kill ${killed}`).toMatchObject({ code: 0 });
      const { "MEMORY.md": index, ...files } = Object.fromEntries(await readTeamFiles(home));
      expect(files, `seed ${seed}, kill ${killed}`).toEqual(Object.fromEntries(team.base));
      expect(linksOf(index ?? ""), `seed ${seed}, kill ${killed}`).toEqual([...team.base.keys()].sort());
      expect(await findLeftovers(home), `seed ${seed}, kill ${killed}`).toEqual([]);
    }
    expect(killed).toBe(KILLS);
  }, 600_000);
});

async function openScene(seed: number) {
  const service = await startService({
    data: join(await tempDir(), "data"),
    onEnd: onTestFinished,
    args: UNLIMITED,
  });
  const { token } = await joinByApi(service, "admin");
  const random = randomFrom(seed);
  const team = openTeam(openProposalsApi(service.url, token, "github.com~acme~shop"), random);
  const home = await makeHome({ onEnd: onTestFinished });
  expect(await home.client("join", await invite(service, "reader"))).toMatchObject({ code: 0 });
  await team.change();
  const { elapsedMs: lifeMs } = await home.client("pull");
  return { home, team, lifeMs, random };
}

/** The team's side: what stands on the base by key, and every text that ever stood there. */
function openTeam(api: ProposalsApi, random: () => number) {
  const base = new Map<string, string>();
  const known = new Set<string>();
  let count = 0;
  const newText = (key: string): string => {
    count += 1;
    // Long enough to be written in more than one piece.
    const text = memoryText(`${key} ${count}`, `Line ${count}\n`.repeat(1 + Math.floor(random() * 3_000)));
    known.add(text);
    return text;
  };
  /** Adds or changes about half of the keys and removes one now and then, as one merged proposal. */
  const change = async (): Promise<void> => {
    const blobs = await api.blobs();
    const removed = random() < 0.5 ? [...base.keys()][0] : undefined;
    const keys = KEYS.filter((key) => key !== removed && random() < 0.5);
    const texts = keys.map((key) => [key, newText(key)] as const);
    const wanted = [...texts, ...(removed === undefined ? [] : [[removed, null] as const])];
    const id = ulid();
    await api.put(
      id,
      wanted.map(([key, text]) => ({ key, baseBlob: blobs.get(key) ?? null, text })),
    );
    await api.approve(id);
    for (const [key, text] of texts) base.set(key, text);
    if (removed !== undefined) base.delete(removed);
  };
  return { base, known, change };
}

/** False: it had ended before. */
async function pullAndKill({ clone: cwd, env }: Home, lifeMs: number): Promise<boolean> {
  const { signal } = await run(process.execPath, [CLIENT_BUNDLE, "pull"], { cwd, env, timeoutMs: Math.ceil(lifeMs) });
  return signal === "SIGKILL";
}

async function findTorn(home: Home, { known }: ReturnType<typeof openTeam>): Promise<readonly string[]> {
  const files = [...(await readTeamFiles(home))].filter(([key]) => key !== "MEMORY.md");
  return files.flatMap(([key, text]) => (known.has(text) ? [] : [key]));
}

function linksOf(index: string): readonly string[] {
  return [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, key = ""]) => key).sort();
}
