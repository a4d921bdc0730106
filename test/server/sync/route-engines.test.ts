import { describe, expect, it } from "vitest";
import type { Engine } from "../../../server/sync/engine.ts";
import { openedEngine } from "../../../server/sync/late-engine.ts";
import { routeEngines } from "../../../server/sync/route-engines.ts";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { parseProjectPattern } from "../../../shared/project/match-project.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { handEngine } from "../hand-engine.ts";

const SHOP = parseProjectName("github.com/acme/shop");
const THING = parseProjectName("github.com/other/thing");
const NOBODYS = parseProjectName("gitlab.com/acme/shop");
const HELD = { project: null, from: "1".repeat(40), to: "2".repeat(40), revision: "2".repeat(40), lost: 0, of: 0 };
const DOWN = new TeamMemoryError("remote_unreachable", "could not reach the remote");

function route(pattern: string, engine: Engine | null) {
  const late = { current: () => engine, failure: () => DOWN, stop: async () => {} };
  return { projects: [parseProjectPattern(pattern)], engine: engine === null ? late : openedEngine(engine) };
}

/** Acme's first, then all others of GitHub; both list the same two projects. */
function openBoth(changes: Partial<Engine> = {}) {
  const [acme, other] = [handEngine(), handEngine(changes)];
  const engine = routeEngines(
    [route("github.com/acme/*", acme.engine), route("github.com/*", other.engine)],
    acme.engine,
  );
  return { engine, acme: acme.calls, other: other.calls };
}

/** Every call that is about one project; what each is given besides is of no matter here. */
const OF_A_PROJECT = [
  ...(["head", "memories", "memoriesEtag", "memory", "history", "quarantine", "putProposal"] as const),
  ...(["listProposals", "proposal", "approve", "close", "waitForChange"] as const),
];

describe("routeEngines", () => {
  it.each(OF_A_PROJECT)(
    "hands %s to the first remote that takes the project, with all that it was given",
    async (name) => {
      const { engine, acme, other } = openBoth();
      const call = engine[name] as (...args: readonly unknown[]) => Promise<unknown>;
      await call(SHOP, 1, 2, 3);
      await call(THING, 1, 2, 3);
      const args = [1, 2, 3].slice(0, acme[0] === undefined ? 3 : acme[0].length - 2);
      expect([acme, other]).toEqual([[[name, SHOP, ...args]], [[name, THING, ...args]]]);
      await expect(call(NOBODYS, 1, 2, 3)).rejects.toMatchObject({ code: "not_found" });
    },
  );

  it.each(OF_A_PROJECT)("answers %s with what keeps the remote from being opened", async (name) => {
    const { engine: open } = handEngine();
    const engine = routeEngines([route("github.com/acme/*", open), route("github.com/*", null)], open);
    await expect((engine[name] as (project: unknown) => Promise<unknown>)(THING)).rejects.toBe(DOWN);
  });

  it("recalls an ETag from the remote that takes the project, and nothing where there is none or it is not open", () => {
    const [acme, other] = [{ recallEtag: () => '"acme"' }, { recallEtag: () => '"other"' }].map(handEngine);
    const routes = [route("github.com/acme/*", acme?.engine ?? null), route("github.com/*", other?.engine ?? null)];
    const engine = routeEngines([...routes, route("gitlab.com/*", null)], handEngine().engine);
    const untaken = parseProjectName("example.org/acme/shop");
    const recalled = [SHOP, THING, NOBODYS, untaken].map((project) => engine.recallEtag(project, { proposals: [] }));
    expect(recalled).toEqual(['"acme"', '"other"', null, null]);
  });

  it("lists each project once, from the remote that has it", async () => {
    const { engine } = openBoth();
    expect((await engine.listProjects()).map(({ project }) => project)).toEqual([SHOP, THING]);
  });

  it("adds up what is counted", async () => {
    const { engine: open } = handEngine();
    const engine = routeEngines([route("a", open), route("b", open), route("c", null)], open);
    const { snapshotAgeSeconds, quarantined, remotesNotOpen } = await engine.stats();
    expect([snapshotAgeSeconds, quarantined, remotesNotOpen]).toEqual([1, 4, 1]);
  });

  it("shows what is held everywhere, and accepts it where it is held", async () => {
    const { engine, acme, other } = openBoth({ base: async () => ({ revision: "3".repeat(40), held: [HELD] }) });
    expect(await engine.base()).toEqual({ revision: expect.not.stringMatching(/^3/), held: [HELD] });
    const reviewer = { id: "rita", name: "Rita", email: "rita@example.org" };
    await engine.acceptBase(HELD.revision, reviewer);
    await engine.acceptBase("4".repeat(40), reviewer);
    const accepts = [acme, other].map((calls) => calls.filter(([name]) => name === "acceptBase").map(([, id]) => id));
    expect(accepts).toEqual([["4".repeat(40)], [HELD.revision]]);
  });

  it("looks at all remotes; one that cannot be looked at matters only where none can", async () => {
    const fails = async () => Promise.reject(DOWN);
    const { engine, acme } = openBoth({ refresh: fails });
    await engine.refresh();
    expect(acme).toEqual([["refresh"]]);
    const { engine: down } = handEngine({ refresh: fails });
    await expect(routeEngines([route("a", down), route("b", down)], down).refresh()).rejects.toBe(DOWN);
  });

  it("stops all", async () => {
    const { engine, acme, other } = openBoth();
    await engine.stop();
    expect([acme, other]).toEqual([[["stop"]], [["stop"]]]);
  });
});
