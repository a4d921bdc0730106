import { describe, expect, it } from "vitest";
import { isTeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { matchesProject, parseProjectPattern } from "../../../shared/project/match-project.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";

describe("matchesProject", () => {
  it.each([
    ["*", "shop"],
    ["*", "github.com/acme/shop"],
    ["github.com/acme/shop", "github.com/acme/shop"],
    ["github.com/acme/*", "github.com/acme/shop"],
    ["github.com/acme/*", "github.com/acme/group/shop"],
    ["github.com/*", "github.com/acme/shop"],
    ["github.com/*/shop", "github.com/acme/shop"],
    ["github.com/acme/shop-*", "github.com/acme/shop-"],
    ["github.com/acme/shop-*", "github.com/acme/shop-web"],
    ["github.com/acme/*-web", "github.com/acme/shop-web"],
    ["github.com/acme/s*p*b", "github.com/acme/shop-web"],
    ["*.acme.dev/*", "git.acme.dev/shop"],
  ])("%s covers %s", (pattern, project) => {
    expect(matchesProject(parseProjectPattern(pattern), parseProjectName(project))).toBe(true);
  });

  it.each([
    ["github.com/acme/*", "github.com/acme"],
    ["github.com/acme/*", "github.com/acme-evil/shop"],
    ["github.com/acme/*", "gitlab.com/acme/shop"],
    ["github.com/acme/shop", "github.com/acme/shop/sub"],
    ["github.com/acme/shop", "github.com/acme/shop-2"],
    ["github.com/*/shop", "github.com/a/b/shop"],
    ["github.com/acme/shop-*", "github.com/acme/shop-web/sub"],
    ["github.com/acme/shop-*", "github.com/acme/shop"],
    ["github.com/acme/ab*ba", "github.com/acme/aba"],
    ["github.com/acme/a*b*c", "github.com/acme/acb"],
    ["git.acme.dev/shop", "gitxacme.dev/shop"],
  ])("%s does not cover %s", (pattern, project) => {
    expect(matchesProject(parseProjectPattern(pattern), parseProjectName(project))).toBe(false);
  });

  it("takes no text for a pattern that covers more than its letters", () => {
    const project = parseProjectName("github.com/acme/shop");
    for (const text of ["", "/", ".*", "github.com/acme/", "**/x", "GITHUB.COM/acme/shop"]) {
      expect(matchesProject(text, project)).toBe(false);
    }
  });

  it("takes no more time for many stars", () => {
    const project = parseProjectName("a".repeat(199));
    const started = performance.now();
    for (let i = 0; i < 1_000; i += 1) expect(matchesProject(`${"a*".repeat(99)}b`, project)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("parseProjectPattern", () => {
  it.each([
    "",
    "/",
    "a//b",
    "a/",
    "GitHub.com/*",
    "a b",
    "a/**",
    "a**b",
    "a/?",
    "{a,b}",
    "a\n",
    "a".repeat(201),
    7,
    null,
    ["*"],
  ])("refuses %j and names it", (text) => {
    try {
      parseProjectPattern(text);
      expect.unreachable();
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      expect(error.code).toBe("bad_request");
      expect(error.details).toHaveProperty("pattern");
      expect(error.message).toContain("Cannot read a project pattern: ");
    }
  });
});
