import { describe, expect, it } from "vitest";
import type { ProposalText } from "../../../server/forge/proposal-text.ts";
import {
  isOwnComment,
  isOwnTitle,
  readMarker,
  replaceOurs,
  toComment,
  toMarker,
  toPullRequestText,
} from "../../../server/forge/pull-request-text.ts";
import { LIMITS } from "../../../shared/limits.ts";

const PROPOSAL: ProposalText = {
  id: "01HZZZZZZZZZZZZZZZZZZZZZZZ",
  head: "a".repeat(40),
  createdAt: new Date("2026-05-01T00:00:00Z"),
  project: "github.com/acme/shop",
  by: "Ana Author",
  title: "Propose deploy.md",
  conflicts: [],
  changes: [
    {
      key: "deploy.md",
      kind: "changed",
      face: { name: "Deploy", description: "How we deploy", type: "project" },
      since: new Date("2026-03-04T05:06:07Z"),
    },
    { key: "old.md", kind: "removed", face: null, since: null },
  ],
  checks: [],
  alike: [],
};

function withDescription(description: string): string {
  const face = { name: "N", description, type: null };
  return toPullRequestText({ ...PROPOSAL, changes: [{ key: "a.md", kind: "added", face, since: null }] }).body;
}

describe("toPullRequestText", () => {
  it("says who proposes what for which project, each memory by its face, and since when the base has what is replaced", () => {
    const { title, body } = toPullRequestText(PROPOSAL);
    expect(title).toBe("Propose deploy.md");
    expect(body).toContain("`Ana Author` proposes to change what coding agents are told in `github.com/acme/shop`");
    expect(body).toContain("| changed | `deploy.md` | project | `How we deploy` | 2026-03-04 |");
    expect(body).toContain("| **removed** | `old.md` |");
    expect(body).toContain("Checked: frontmatter");
  });

  it("names what is to be looked at in the place of what was checked", () => {
    const checks = [{ key: "deploy.md", check: "secret_found", message: "holds a secret" }];
    const alike = [{ key: "deploy.md", other: "release.md", by: "name" as const }];
    const { body } = toPullRequestText({ ...PROPOSAL, checks, alike, conflicts: ["deploy.md"] });
    expect(body).toContain("- `deploy.md`: `holds a secret`");
    expect(body).toContain("- `deploy.md` has the name of `release.md`");
    expect(body).toContain("- `deploy.md`: the base has changed it meanwhile");
    expect(body).not.toContain("Checked:");
  });

  it.each([
    ["a mention", "ping @acme/everyone"],
    ["an end of its span", "a ` @acme ` b"],
    ["an end of its cell", "a | b | c"],
    [
      "a comment that pretends to be our marker",
      '<!-- team-memory {"id":"x","head":"x","conflicts":"","title":""} -->',
    ],
    ["lines", "one\n\n# two\n\n- [ ] three"],
    ["invisible characters", "a\u202eb\u200bc"],
    ["a page", `x${"y".repeat(5_000)}`],
  ])("holds other people's words in a span of one line: %s", (_, description) => {
    const body = withDescription(description);
    const row = body.split("\n").find((line) => line.startsWith("| added"));
    expect(row).toMatch(/^\| added \| `a\.md` \| {2}\| `[^`|\u202e\u200b]*` \| {2}\|$/u);
    expect(row?.length).toBeLessThan(LIMITS.forgeCellLengthMax + 60);
    expect(readMarker(body)?.id).toBe(PROPOSAL.id);
  });

  it("stays within what forges take, however many memories there are", () => {
    const face = { name: "N", description: "d".repeat(500), type: null };
    const changes = Array.from({ length: 500 }, (_, at) => ({
      key: `${"k".repeat(150)}${at}.md`,
      kind: "added" as const,
      face,
      since: null,
    }));
    const { body } = toPullRequestText({ ...PROPOSAL, changes });
    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain("And 400 more.");
  });
});

describe("the marker", () => {
  it("says which state of the proposal the text is of, and whether the title is still the one that was given", () => {
    const { title, body } = toPullRequestText(PROPOSAL);
    const marker = readMarker(body);
    expect(marker).toMatchObject(toMarker(PROPOSAL));
    expect(toMarker({ ...PROPOSAL, conflicts: ["a.md"] }).conflicts).not.toBe(marker?.conflicts);
    expect(marker !== null && isOwnTitle(marker, title)).toBe(true);
    expect(marker !== null && isOwnTitle(marker, "Mine")).toBe(false);
  });

  it.each([
    "",
    "no marker",
    "<!-- team-memory {broken -->",
    '<!-- team-memory {"id":1} -->',
    "<!-- team-memory null -->",
  ])("is none in %j", (body) => expect(readMarker(body)).toBeNull());
});

describe("replaceOurs", () => {
  const ours = toPullRequestText(PROPOSAL).body;
  it("leaves what stands around our part, and adds it where it was taken out", () => {
    const next = toPullRequestText({ ...PROPOSAL, head: "b".repeat(40) }).body;
    expect(replaceOurs(`Before\r\n${ours.replaceAll("\n", "\r\n")}\r\nAfter`, next)).toBe(`Before\n${next}\nAfter`);
    expect(replaceOurs("Only theirs", next)).toBe(`Only theirs\n\n${next}`);
    expect(replaceOurs("", next)).toBe(next);
  });
});

it("a comment of ours is known as ours", () => {
  expect(isOwnComment(toComment("It has ended"))).toBe(true);
  expect(isOwnComment("It has ended")).toBe(false);
});
