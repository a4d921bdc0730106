import { describe, expect, it } from "vitest";
import { planPush } from "../../../server/routes/plan-push.ts";
import type { Role } from "../../../shared/protocol/schemas.ts";

const BASE = "refs/heads/main";
const BRANCH = "refs/heads/team-memory/01JH0000000000000000000000";
const ID = "1".repeat(40);

interface Case {
  name: string;
  role: Role;
  ref: string;
  removes?: true;
  allowed: boolean;
}

const CASES: readonly Case[] = [
  { name: "a proposal's branch", role: "reader", ref: BRANCH, allowed: false },
  { name: "a proposal's branch", role: "contributor", ref: BRANCH, allowed: true },
  { name: "the removal of a proposal's branch", role: "contributor", ref: BRANCH, removes: true, allowed: true },
  { name: "the base", role: "contributor", ref: BASE, allowed: false },
  { name: "the base", role: "reviewer", ref: BASE, allowed: true },
  { name: "the base", role: "admin", ref: BASE, allowed: true },
  { name: "the removal of the base", role: "admin", ref: BASE, removes: true, allowed: false },
  { name: "another branch", role: "admin", ref: "refs/heads/other", allowed: false },
  { name: "a branch that only begins alike", role: "admin", ref: "refs/heads/team-memory-evil", allowed: false },
  { name: "the state of people and tokens", role: "admin", ref: "refs/team-memory/state", allowed: false },
  { name: "a tag", role: "admin", ref: "refs/tags/team-memory/x", allowed: false },
  { name: "HEAD", role: "admin", ref: "HEAD", allowed: false },
];

describe("planPush", () => {
  it.each(CASES)("answers $allowed to $role for $name", ({ role, ref, removes, allowed }) => {
    const words = planPush(role, BASE, [{ ref, new: removes ? null : ID }]);
    expect(words === null).toBe(allowed);
  });

  it("lets none through when one is refused", () => {
    const refs = [BASE, BRANCH, "refs/heads/other"].map((ref) => ({ ref, new: ID }));
    expect(planPush("admin", BASE, refs)).toBe("only main and team-memory/* can be pushed");
    expect(planPush("admin", BASE, refs.slice(0, 2))).toBeNull();
  });
});
