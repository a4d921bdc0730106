import { describe, expect, it } from "vitest";
import { emptySnapshot } from "../../../../server/sync/snapshot/snapshot.ts";
import { type Landing, planSeries } from "../../../../server/sync/world/landing.ts";
import type { ProjectName } from "../../../../shared/project/parse-project-name.ts";
import { OTHER, SHOP } from "../support.ts";

const BLOB = "b".repeat(40);

function landing(id: string, keys: readonly string[], project: ProjectName = SHOP): Landing {
  const changes = new Map(keys.map((key) => [key as never, { base: null, blob: BLOB }]));
  return { id, project, changes, commit: async (parent) => parent, moveBranch: async () => null };
}

const SNAPSHOTS = new Map([SHOP, OTHER].map((project) => [project, emptySnapshot(project)]));

describe("planSeries", () => {
  it.each([
    { name: "keys apart", landings: [landing("1", ["a.md"]), landing("2", ["b.md"])], later: [] },
    { name: "one key twice", landings: [landing("1", ["a.md"]), landing("2", ["a.md", "b.md"])], later: ["2"] },
    { name: "one key in two projects", landings: [landing("1", ["a.md"]), landing("2", ["a.md"], OTHER)], later: [] },
    { name: "keys that fold together", landings: [landing("1", ["Foo.md"]), landing("2", ["foo.md"])], later: ["2"] },
    {
      name: "a key that is another's folder",
      landings: [landing("1", ["a.md"]), landing("2", ["a.md/b.md"])],
      later: ["2"],
    },
    {
      name: "what comes after one that waits",
      landings: [landing("1", ["a.md"]), landing("2", ["a.md", "c.md"]), landing("3", ["c.md"])],
      later: ["2"],
    },
  ])("$name", ({ landings, later }) => {
    const series = planSeries(landings, SNAPSHOTS);
    expect(series.later.map(({ id }) => id)).toEqual(later);
    expect(series.together).toEqual(landings.filter(({ id }) => !later.includes(id)));
  });
});
