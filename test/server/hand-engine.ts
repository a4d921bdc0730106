import type { Engine } from "../../server/sync/engine.ts";
import { parseProjectName } from "../../shared/project/parse-project-name.ts";
import type { MemoriesResponse, Proposal } from "../../shared/protocol/schemas.ts";

const SHOP = parseProjectName("github.com/acme/shop");
export const SHOP_PATH = "/v1/projects/github.com~acme~shop";
const TREE = "1".repeat(40);
const REVISION = "2".repeat(40);
const BLOB = "3".repeat(40);
const PROPOSAL_ID = "01JH0000000000000000000000";

/** An engine whose answers are fixed, so that a test sees what the routes add. Every call is recorded. */
export function handEngine(changes: Partial<Engine> = {}) {
  const calls: [keyof Engine, ...unknown[]][] = [];
  const fixed: Engine = {
    listProjects: async () => [
      { project: SHOP, memories: 1, openProposals: 2 },
      { project: parseProjectName("github.com/other/thing"), memories: 3, openProposals: 0 },
    ],
    head: async (project) => ({
      project,
      tree: TREE,
      revision: REVISION,
      memories: 1,
      quarantined: 0,
      openProposals: 2,
    }),
    memories: async () => ({ body: MEMORIES, etag: '"etag"', outcomes: {} }),
    memoriesEtag: async () => '"etag"',
    recallEtag: () => null,
    memory: async (_project, key) => ({ ...UPSERT, key, revision: REVISION }),
    history: async (_project, key) => ({ key, changes: [] }),
    quarantine: async () => ({ files: [], warnings: [] }),
    putProposal: async () => ({ created: true, proposal: PROPOSAL }),
    listProposals: async () => [PROPOSAL],
    proposal: async () => ({ ...PROPOSAL, diff: [], checks: [] }),
    approve: async () => ({ ...PROPOSAL, state: "merged" }),
    close: async () => ({ ...PROPOSAL, state: "closed" }),
    base: async () => ({ revision: REVISION, held: [] }),
    acceptBase: async () => undefined,
    stats: async () => ({
      snapshotAgeSeconds: 1,
      quarantined: 2,
      writesWaiting: 3,
      openProposals: 4,
      projects: 5,
      held: 6,
      remotesNotOpen: 7,
    }),
    refresh: async () => undefined,
    waitForChange: async () => undefined,
    stop: async () => undefined,
  };
  const engine = Object.fromEntries(
    Object.entries({ ...fixed, ...changes }).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        calls.push([name as keyof Engine, ...args]);
        return (call as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Engine;
  return { engine, calls };
}

export const UPSERT = {
  key: "feedback_testing.md",
  blob: BLOB,
  text: "---\nname: Testing\ndescription: Real databases\ntype: feedback\n---\nUse one.\n",
  name: "Testing",
  description: "Real databases",
  type: "feedback" as const,
  changedAt: "2026-03-05T10:00:00.000Z",
  changedBy: "Ana",
};

const MEMORIES: MemoriesResponse = {
  project: SHOP,
  tree: TREE,
  revision: REVISION,
  full: true,
  upserts: [UPSERT],
  removals: [],
  quarantined: 0,
};

const PROPOSAL: Proposal = {
  id: PROPOSAL_ID,
  project: SHOP,
  state: "open",
  seq: 1,
  by: "Ana",
  title: "Testing",
  createdAt: "2026-03-05T10:00:00.000Z",
  updatedAt: "2026-03-05T10:00:00.000Z",
  branch: `team-memory/${PROPOSAL_ID}`,
  head: REVISION,
  url: "http://127.0.0.1:7357/git/memory.git",
  reason: null,
  changes: [],
  conflicts: [],
};
