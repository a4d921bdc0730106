import fc from "fast-check";
import { assert, describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";
import {
  fromRemoteFolder,
  fromUrlSegment,
  parseProjectName,
  toRemoteFolder,
  toUrlSegment,
} from "../../../shared/project/parse-project-name.ts";

const segment = fc.oneof(fc.constant("team"), fc.constantFrom("a", "github.com", "host_8443", "acme", "a.b-c_d"));
const projectName = fc
  .array(segment, { minLength: 1, maxLength: 6 })
  .map((segments) => parseProjectName(segments.join("/")));

describe("parseProjectName", () => {
  it.each([
    "github.com/acme/shop",
    "host_8443/acme/shop",
    "shop",
    "team",
    "a/team/b",
    "gitlab.com/g/s1/s2/s3/shop",
    "-x/y",
    "_",
  ])("takes %j", (name) => expect(parseProjectName(name)).toBe(name));

  it.each([
    { name: "", rule: "empty" },
    { name: "GitHub.com/acme", rule: "characters" },
    { name: "github.com//shop", rule: "empty segment" },
    { name: "/github.com", rule: "empty segment" },
    { name: "github.com/", rule: "empty segment" },
    { name: "github.com/.git", rule: "dot" },
    { name: "..", rule: "dot" },
    { name: "a/../b", rule: "dot" },
    { name: "a/b..c", rule: "two dots" },
    { name: "a/b.lock", rule: ".lock" },
    { name: "a~b", rule: "characters" },
    { name: "a b", rule: "characters" },
    { name: "host:8443/a", rule: "characters" },
    { name: "a\\b", rule: "characters" },
    { name: "a/b\n", rule: "characters" },
    { name: "a/b\0", rule: "characters" },
    { name: "a%2fb", rule: "characters" },
    { name: "\u0430cme/shop", rule: "characters" },
    { name: "a".repeat(LIMITS.projectNameLengthMax + 1), rule: "longer" },
    {
      name: Array(LIMITS.projectSegmentsMax + 1)
        .fill("a")
        .join("/"),
      rule: "segments",
    },
    { name: undefined, rule: "not text" },
    { name: ["a"], rule: "not text" },
    { name: null, rule: "not text" },
  ])("refuses $name: $rule", ({ name, rule }) => {
    const error = refusalOf(() => parseProjectName(name));
    expect(error.code).toBe("bad_request");
    expect(error.message).toContain(rule);
    expect(error.details).toMatchObject({ field: "project", rule: expect.stringContaining(rule) });
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  it("takes a name at both bounds", () => {
    expect(parseProjectName("a".repeat(LIMITS.projectNameLengthMax))).toHaveLength(LIMITS.projectNameLengthMax);
    expect(() => parseProjectName(Array(LIMITS.projectSegmentsMax).fill("a").join("/"))).not.toThrow();
  });
});

describe("toUrlSegment and fromUrlSegment", () => {
  it("write / as ~ and read it back", () => {
    const project = parseProjectName("github.com/acme/shop");
    expect(toUrlSegment(project)).toBe("github.com~acme~shop");
    expect(fromUrlSegment("github.com~acme~shop")).toBe(project);
  });

  it.each(["github.com/acme", "..~a", "~", "a~~b", "A~b", "a%7Eb"])("refuse %j", (text) => {
    expect(refusalOf(() => fromUrlSegment(text)).code).toBe("bad_request");
  });

  it("are each other's inverse", () => {
    fc.assert(fc.property(projectName, (project) => fromUrlSegment(toUrlSegment(project)) === project));
  });
});

describe("toRemoteFolder and fromRemoteFolder", () => {
  it.each([
    ["github.com/acme/shop", "projects/github.com/acme/shop/team"],
    ["team", "projects/team~/team"],
    ["a/team/b", "projects/a/team~/b/team"],
    ["a/team", "projects/a/team~/team"],
    ["projects", "projects/projects/team"],
  ])("lay %s at %s", (name, folder) => {
    expect(toRemoteFolder(parseProjectName(name))).toBe(folder);
    expect(fromRemoteFolder(folder)).toBe(name);
  });

  it.each([
    "",
    "projects",
    "projects/team",
    "projects/a",
    "projects/a/team/",
    "projects/a/team/b/team",
    "projects/a/Team",
    "projects/A/team",
    "projects/a~b/team",
    "projects/../team",
    "/projects/a/team",
    "other/a/team",
    "projects/a/b.lock/team",
    "projects//team",
  ])("read nothing in %j", (folder) => expect(fromRemoteFolder(folder)).toBeNull());

  it("are each other's inverse", () => {
    fc.assert(fc.property(projectName, (project) => fromRemoteFolder(toRemoteFolder(project)) === project));
  });

  it("never lay one project inside another's team folder", () => {
    fc.assert(
      fc.property(projectName, projectName, (one, other) => {
        fc.pre(one !== other);
        return !`${toRemoteFolder(other)}/`.startsWith(`${toRemoteFolder(one)}/`);
      }),
    );
  });
});

function refusalOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (isTeamMemoryError(error)) return error;
    throw error;
  }
  return assert.fail("nothing was refused");
}
