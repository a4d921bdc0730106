import { LIMITS } from "../../shared/limits.ts";
import { GITEA } from "./adapters/gitea.ts";
import { buildGitHub } from "./adapters/github.ts";
import { buildGitLab } from "./adapters/gitlab.ts";
import type { Forge, ForgeKind, ForgePlace } from "./forge.ts";
import { buildForgeClient, type ForgeClient } from "./forge-client.ts";
import type { ForgeToken } from "./forge-token.ts";

interface Kind {
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly writeIntervalMs: number;
  readonly build: (client: ForgeClient, place: ForgePlace) => Forge;
}

const KINDS: Readonly<Record<ForgeKind, Kind>> = {
  github: {
    headers: (token) => ({
      authorization: `Bearer ${token}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    }),
    writeIntervalMs: LIMITS.forgeWriteIntervalMs,
    build: (client, place) => buildGitHub(client, place),
  },
  gitea: {
    headers: (token) => ({ authorization: `token ${token}` }),
    writeIntervalMs: 0,
    build: (client, place) => buildGitHub(client, place, GITEA),
  },
  gitlab: {
    headers: (token) => ({ "private-token": token }),
    writeIntervalMs: 0,
    build: buildGitLab,
  },
};

interface BuildOptions {
  readonly place: ForgePlace;
  readonly token: ForgeToken;
  readonly clock?: () => number;
  /** The forge's own unless a test has less patience. */
  readonly writeIntervalMs?: number;
}

export function buildForge({ place, token, clock = Date.now, ...given }: BuildOptions): Forge {
  const { headers, build, ...kind } = KINDS[place.kind];
  const { writeIntervalMs } = { ...kind, ...given };
  return build(buildForgeClient({ apiUrl: place.apiUrl, token, headers, writeIntervalMs, clock }), place);
}
