import { describe, expect, it } from "vitest";
import type { Grant } from "../../../server/people/people-files.ts";
import { includesRole, roleOn, roleOnAll } from "../../../server/people/roles.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { type Role, roleSchema } from "../../../shared/protocol/schemas.ts";

const ROLES = roleSchema.options;

describe("includesRole", () => {
  it.each(ROLES.flatMap((held, h) => ROLES.map((needed, n) => ({ held, needed, expected: h >= n }))))(
    "says $expected for a $held who needs to be a $needed",
    ({ held, needed, expected }) => {
      expect(includesRole(held, needed)).toBe(expected);
    },
  );

  it("gives nobody anything", () => {
    expect(includesRole(null, "reader")).toBe(false);
  });
});

const grant = (role: Role, ...projects: string[]): Grant => ({ role, projects });

describe("roleOn", () => {
  const shop = parseProjectName("github.com/acme/shop");
  it.each([
    { name: "no grants", grants: [], expected: null },
    { name: "another project", grants: [grant("admin", "github.com/acme/other")], expected: null },
    { name: "a longer name", grants: [grant("admin", "github.com/acme/shopping")], expected: null },
    { name: "the project itself", grants: [grant("reader", "github.com/acme/shop")], expected: "reader" },
    { name: "its group", grants: [grant("contributor", "github.com/acme/*")], expected: "contributor" },
    { name: "everything", grants: [grant("reviewer", "*")], expected: "reviewer" },
    {
      name: "the highest of several",
      grants: [grant("reader", "*"), grant("reviewer", "github.com/acme/*"), grant("admin", "github.com/other/*")],
      expected: "reviewer",
    },
    { name: "one of several patterns", grants: [grant("reader", "a/b", "github.com/acme/shop")], expected: "reader" },
  ])("answers $expected for $name", ({ grants, expected }) => {
    expect(roleOn(grants, shop)).toBe(expected);
  });
});

describe("roleOnAll", () => {
  it.each([
    { name: "no grants", grants: [], expected: null },
    { name: "every project of a group", grants: [grant("admin", "github.com/*")], expected: null },
    { name: "every project", grants: [grant("reader", "*"), grant("admin", "github.com/acme/*")], expected: "reader" },
    { name: "the higher of two", grants: [grant("reader", "*"), grant("reviewer", "*")], expected: "reviewer" },
  ])("answers $expected for $name", ({ grants, expected }) => {
    expect(roleOnAll(grants)).toBe(expected);
  });
});
