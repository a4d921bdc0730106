import { describe, expect, it } from "vitest";
import type { Grant, PersonRecord } from "../../../server/people/people-files.ts";
import { withGrant } from "../../../server/people/with-grant.ts";
import type { Role } from "../../../shared/protocol/schemas.ts";

const grant = (role: Role, ...projects: string[]): Grant => ({ role, projects });

const personWith = (grants: Grant[]): PersonRecord => ({
  id: "01J",
  name: "Ana",
  email: "ana@example.org",
  grants,
  createdAt: "2026-03-05T10:00:00.000Z",
});

describe("withGrant", () => {
  const A = "github.com/acme/*";
  const SHOP = "github.com/acme/shop";
  it.each([
    { name: "the first", held: [], added: grant("reader", "*"), expected: [grant("reader", "*")] },
    { name: "the same", held: [grant("reader", A)], added: grant("reader", A), expected: [grant("reader", A)] },
    { name: "a lower role", held: [grant("admin", A)], added: grant("reader", SHOP), expected: [grant("admin", A)] },
    {
      name: "a lower role on more",
      held: [grant("reviewer", SHOP)],
      added: grant("reader", A),
      expected: [grant("reviewer", SHOP), grant("reader", A)],
    },
    {
      name: "a higher role",
      held: [grant("reader", A)],
      added: grant("reviewer", A),
      expected: [grant("reviewer", A)],
    },
    {
      name: "a higher role on less",
      held: [grant("reader", A)],
      added: grant("reviewer", SHOP),
      expected: [grant("reader", A), grant("reviewer", SHOP)],
    },
    {
      name: "a role's further projects",
      held: [grant("reader", SHOP, "a/b"), grant("reviewer", "a/b")],
      added: grant("reader", "a/c", SHOP),
      expected: [grant("reader", SHOP, "a/b", "a/c"), grant("reviewer", "a/b")],
    },
    {
      name: "a wider pattern",
      held: [grant("reader", SHOP, "a/b")],
      added: grant("reader", "github.com/*"),
      expected: [grant("reader", "a/b", "github.com/*")],
    },
    {
      name: "patterns that only look alike",
      held: [grant("reader", "github.com/acme/shop-*")],
      added: grant("reader", "github.com/acme/*"),
      expected: [grant("reader", "github.com/acme/*")],
    },
    {
      name: "one segment's star beside the last one's",
      held: [grant("reader", "github.com/*/shop")],
      added: grant("reader", "github.com/acme/*"),
      expected: [grant("reader", "github.com/*/shop", "github.com/acme/*")],
    },
  ])("of $name leaves nothing twice and takes nothing away", ({ held, added, expected }) => {
    expect(withGrant(personWith(held), added).grants).toEqual(expected);
  });
});
