/** A fake forge with an engine over its repository, in one process. */
import { dirname } from "node:path";
import { ulid } from "ulid";
import { onTestFinished } from "vitest";
import { buildForge } from "../../../server/forge/build-forge.ts";
import type { Forge, ForgeKind } from "../../../server/forge/forge.ts";
import type { ForgeDesk } from "../../../server/forge/forge-desk.ts";
import { type DeskOptions, openForgeDesk } from "../../../server/forge/open-forge-desk.ts";
import { openEmbeddedRepository } from "../../../server/git/open-embedded.ts";
import type { Engine } from "../../../server/sync/engine.ts";
import type { PutResult } from "../../../server/sync/proposal/put-proposal.ts";
import { type FakeForge, FORGE_TOKEN, startForge } from "../../support/fake-forge/start-forge.ts";
import { memoryText } from "../../support/memory-text.ts";
import { ANA, openEngine, SHOP, toRequest } from "../sync/support.ts";

export const KINDS: readonly ForgeKind[] = ["github", "gitea", "gitlab"];

export function adapterOf(fake: FakeForge, token = { get: async () => FORGE_TOKEN, renew: async () => false }): Forge {
  const { kind, apiUrl } = fake;
  const place = { kind, apiUrl, repository: "acme/memory", base: "main", branchPrefix: "team-memory/" };
  return buildForge({ place, token, writeIntervalMs: 0 });
}

const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

export interface ForgeTeam {
  readonly forge: FakeForge;
  readonly engine: Engine;
  readonly desk: ForgeDesk;
}

/** A forge whose repository has a base, and a service on it. */
export async function openTeam(kind: ForgeKind = "github", options: Partial<DeskOptions> = {}): Promise<ForgeTeam> {
  const forge = await startForge(kind, onTestFinished);
  return { forge, ...(await serve(forge, options)) };
}

/** Another process of the service, or the same one started again. */
export async function serve(forge: FakeForge, options: Partial<DeskOptions> = {}, cacheFolder?: string) {
  const folder = dirname(forge.gitDir);
  const port = await openEmbeddedRepository({ folder, git: null, baseRef: "refs/heads/main" });
  const desk = openForgeDesk({ forge: adapterOf(forge), reviewers: [], log: QUIET, ...options });
  const remote = { folder, gitDir: forge.gitDir, port };
  const engine = await openEngine(remote, { desk, ...(cacheFolder === undefined ? {} : { cacheFolder }) });
  return { engine, desk };
}

export function propose(
  engine: Engine,
  texts: Readonly<Record<string, string | null>>,
  id = ulid(),
): Promise<PutResult> {
  return engine.putProposal(SHOP, id, toRequest(texts), ANA);
}

export const TEXT = memoryText("Testing", "how we test");

/** Until it holds, or for a while. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200 && !(await holds()); attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
