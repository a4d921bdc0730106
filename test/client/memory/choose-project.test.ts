import { describe, expect, it } from "vitest";
import { chooseProject, listNamedProjects } from "../../../client/memory/choose-project.ts";
import type { GitRemotes } from "../../../client/memory/read-git-remotes.ts";
import { EMPTY_USER_CONFIG, type UserConfig } from "../../../client/user-config.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";

const ROOT = "/home/ada/shop";
const SHOP = parseProjectName("github.com/acme/shop");
const FORK = parseProjectName("github.com/ada/shop");
const MINE = parseProjectName("notes");

const NO_REMOTES: GitRemotes = { origin: null, upstream: null };
const FORKED: GitRemotes = { origin: "git@github.com:ada/shop.git", upstream: "https://github.com/acme/shop" };

function configWith(joined: readonly (typeof SHOP)[], roots: UserConfig["roots"] = []): UserConfig {
  const projects = joined.map((project) => ({ project, service: "https://memory.example.org" }));
  return { ...EMPTY_USER_CONFIG, projects, roots };
}

describe("chooseProject (case 30)", () => {
  it.each([
    "https://github.com/acme/shop",
    "https://ada:secret@github.com/Acme/Shop.git/",
    "git@github.com:acme/shop.git",
    "ssh://git@github.com:22/acme/shop",
  ])("gives one project for every form of its address: %s", (origin) => {
    expect(chooseProject({ root: ROOT, remotes: { origin, upstream: null }, config: EMPTY_USER_CONFIG })).toBe(SHOP);
  });

  it.each([
    ["no remote", NO_REMOTES],
    ["a local path", { origin: "/srv/git/shop.git", upstream: null }],
    ["a helper", { origin: "ext::sh -c evil", upstream: null }],
  ])("gives none for %s", (_, remotes) => {
    expect(chooseProject({ root: ROOT, remotes, config: EMPTY_USER_CONFIG })).toBeNull();
  });

  it("of a fork and its upstream takes the one that is joined, origin while none is", () => {
    expect(chooseProject({ root: ROOT, remotes: FORKED, config: EMPTY_USER_CONFIG })).toBe(FORK);
    expect(chooseProject({ root: ROOT, remotes: FORKED, config: configWith([FORK]) })).toBe(FORK);
    expect(chooseProject({ root: ROOT, remotes: FORKED, config: configWith([SHOP]) })).toBe(SHOP);
    expect(chooseProject({ root: ROOT, remotes: FORKED, config: configWith([MINE]) })).toBe(FORK);
  });

  it("refuses to choose between two that are both joined, until the user says which", () => {
    const config = configWith([FORK, SHOP]);
    expect(() => chooseProject({ root: ROOT, remotes: FORKED, config })).toThrow(
      expect.objectContaining({ code: "ambiguous_project", details: { projects: [FORK, SHOP] } }),
    );
    const said = configWith([FORK, SHOP], [{ root: ROOT, project: SHOP }]);
    expect(chooseProject({ root: ROOT, remotes: FORKED, config: said })).toBe(SHOP);
  });

  it("is not ambiguous where origin and upstream are one repository", () => {
    const remotes = { origin: "git@github.com:acme/shop.git", upstream: "https://github.com/acme/shop" };
    expect(chooseProject({ root: ROOT, remotes, config: configWith([SHOP]) })).toBe(SHOP);
  });

  it("what the user has said of a root counts for that root alone", () => {
    const config = configWith([MINE], [{ root: ROOT, project: MINE }]);
    expect(chooseProject({ root: ROOT, remotes: NO_REMOTES, config })).toBe(MINE);
    expect(chooseProject({ root: `${ROOT}2`, remotes: NO_REMOTES, config })).toBeNull();
    expect(chooseProject({ root: "/home/ada", remotes: NO_REMOTES, config })).toBeNull();
  });
});

describe("listNamedProjects", () => {
  it("names origin's first, each once", () => {
    expect(listNamedProjects(FORKED)).toEqual([FORK, SHOP]);
    expect(listNamedProjects({ origin: null, upstream: FORKED.upstream })).toEqual([SHOP]);
    expect(listNamedProjects(NO_REMOTES)).toEqual([]);
  });
});
