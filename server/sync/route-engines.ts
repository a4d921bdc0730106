/** Several remotes behind the one interface: a project's calls go to the engine that has it, the rest to all. */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { matchesAny, type ProjectPattern } from "../../shared/project/match-project.ts";
import type { ProjectName } from "../../shared/project/parse-project-name.ts";
import type { Engine } from "./engine.ts";
import type { EngineStats } from "./engine-stats.ts";
import type { LateEngine } from "./late-engine.ts";

export interface Route {
  readonly projects: readonly ProjectPattern[];
  readonly engine: LateEngine;
}

/**
 * `routes`: in the order in which they are asked; the first that matches a project has it, and what lies of it on the
 * others' remotes is served to nobody. `people`: the engine of the remote that people are kept on, which is open.
 */
export function routeEngines(routes: readonly Route[], people: Engine): Engine {
  const routeOf = (project: ProjectName) => routes.find(({ projects }) => matchesAny(projects, project));
  /** @throws TeamMemoryError not_found, or what keeps its engine from being opened */
  const engineOf = async (project: ProjectName): Promise<Engine> => {
    const route = routeOf(project);
    if (route === undefined)
      throw new TeamMemoryError("not_found", `Could not find a remote for ${project}: none takes it`);
    const engine = route.engine.current();
    if (engine === null) throw route.engine.failure();
    return engine;
  };
  const open = () => routes.flatMap(({ engine }) => engine.current() ?? []);

  return {
    listProjects: async () => {
      const lists = routes.map(async (route) => {
        const all = (await route.engine.current()?.listProjects()) ?? [];
        return all.filter(({ project }) => routeOf(project) === route);
      });
      return (await Promise.all(lists)).flat();
    },
    head: async (project) => (await engineOf(project)).head(project),
    memories: async (project, query) => (await engineOf(project)).memories(project, query),
    memoriesEtag: async (project, query) => (await engineOf(project)).memoriesEtag(project, query),
    recallEtag: (project, query) => routeOf(project)?.engine.current()?.recallEtag(project, query) ?? null,
    memory: async (project, key) => (await engineOf(project)).memory(project, key),
    history: async (project, key) => (await engineOf(project)).history(project, key),
    quarantine: async (project) => (await engineOf(project)).quarantine(project),
    putProposal: async (project, ...rest) => (await engineOf(project)).putProposal(project, ...rest),
    listProposals: async (project) => (await engineOf(project)).listProposals(project),
    proposal: async (project, id) => (await engineOf(project)).proposal(project, id),
    approve: async (project, ...rest) => (await engineOf(project)).approve(project, ...rest),
    close: async (project, ...rest) => (await engineOf(project)).close(project, ...rest),
    base: async () => {
      const bases = await Promise.all(open().map((engine) => engine.base()));
      return { ...(await people.base()), held: bases.flatMap(({ held }) => held) };
    },
    acceptBase: async (revision, reviewer) => {
      for (const engine of open()) {
        const { held } = await engine.base();
        if (held.some((hold) => hold.revision === revision)) return engine.acceptBase(revision, reviewer);
      }
      return people.acceptBase(revision, reviewer);
    },
    stats: async () => {
      const all = await Promise.all(open().map((engine) => engine.stats()));
      return { ...all.reduce(addStats), remotesNotOpen: routes.length - all.length };
    },
    refresh: async () => {
      const looks = await Promise.allSettled(open().map((engine) => engine.refresh()));
      const [first] = looks.filter((look) => look.status === "rejected");
      if (first !== undefined && looks.every(({ status }) => status === "rejected")) throw first.reason;
    },
    waitForChange: async (project, ...rest) => (await engineOf(project)).waitForChange(project, ...rest),
    stop: async () => {
      await Promise.all(routes.map(({ engine }) => engine.stop()));
    },
  };
}

function addStats(one: EngineStats, other: EngineStats): EngineStats {
  return {
    snapshotAgeSeconds: Math.max(one.snapshotAgeSeconds, other.snapshotAgeSeconds),
    quarantined: one.quarantined + other.quarantined,
    writesWaiting: one.writesWaiting + other.writesWaiting,
    openProposals: one.openProposals + other.openProposals,
    projects: one.projects + other.projects,
    held: one.held + other.held,
    remotesNotOpen: one.remotesNotOpen + other.remotesNotOpen,
  };
}
