import { z } from "zod";
import { LIMITS } from "../limits.ts";

/**
 * The wire, v1. One source: Fastify validates and serialises by these, /openapi.json is generated from them, the client
 * parses answers with them. No transforms: brands (MemoryKey, ProjectName) are made by a parse step behind the border.
 */
const gitId = z.string().regex(/^[0-9a-f]{40}$/);
const isoDate = z.string().max(40);
const wireKey = z.string().max(LIMITS.keySizeBytesMax * 3);
const projectName = z.string().max(LIMITS.projectNameLengthMax);

/** ULID, Crockford base 32, upper case. */
export const proposalId = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
export const roleSchema = z.enum(["reader", "contributor", "reviewer", "admin"]);
export const memoryTypeSchema = z.enum(["user", "feedback", "project", "reference"]);

export const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
});

/** A memory's face, as the service parsed it from frontmatter; `type` null where it has none. */
const faceShape = {
  name: z.string(),
  description: z.string(),
  type: memoryTypeSchema.nullable(),
  changedAt: isoDate,
  changedBy: z.string(),
};

export const upsertSchema = z.object({ key: wireKey, blob: gitId, text: z.string(), ...faceShape });

export const memoriesResponse = z.object({
  project: projectName,
  /** Git tree id over the files as served; the client recomputes it from its own copies. */
  tree: gitId,
  revision: gitId,
  /** True: `upserts` is everything; false: what changed since the tree that was named. */
  full: z.boolean(),
  upserts: z.array(upsertSchema),
  removals: z.array(wireKey),
  quarantined: z.number().int().nonnegative(),
});

export const headResponse = z.object({
  project: projectName,
  tree: gitId,
  revision: gitId,
  memories: z.number().int(),
  quarantined: z.number().int(),
  openProposals: z.number().int(),
  /** True: the remote's base would take memories from everyone, and is held; this is the last good tree. */
  held: z.boolean().exactOptional(),
});

export const projectsResponse = z.object({
  projects: z.array(
    z.object({ project: projectName, memories: z.number().int(), openProposals: z.number().int(), role: roleSchema }),
  ),
});

export const memoryResponse = z.object({ ...upsertSchema.shape, revision: gitId });

export const historyResponse = z.object({
  key: wireKey,
  /** Newest first. `blob` null: removed. */
  changes: z.array(
    z.object({
      revision: gitId,
      blob: gitId.nullable(),
      changedAt: isoDate,
      changedBy: z.string(),
      proposal: z.string().nullable(),
    }),
  ),
});

export const quarantineResponse = z.object({
  /** `path` is escaped for display: code points outside printable ASCII as \u{…}. */
  files: z.array(z.object({ path: z.string(), rule: z.string(), reason: z.string() })),
  /** Memories that are served and could not be proposed as they stand: `message` follows "line <line>: <field>". */
  warnings: z.array(z.object({ key: wireKey, field: z.string(), line: z.number().int(), message: z.string() })),
});

const changeSchema = z.strictObject({
  key: wireKey,
  /** The blob that the person's text started from; null: a new memory. */
  baseBlob: gitId.nullable(),
  /** The wanted text; null: remove it. */
  text: z.string().nullable(),
});

export const proposalRequest = z.strictObject({
  /** Rises with every set of this id that differs from the one before. */
  seq: z.number().int().min(1).max(1_000_000_000),
  /** The whole wanted set; empty withdraws the proposal. */
  changes: z.array(changeSchema).max(LIMITS.changesPerProposalMax),
  title: z.string().max(LIMITS.titleLengthMax).exactOptional(),
  /** Keys whose removed text the person brings back on purpose (see stale_text). */
  restore: z.array(wireKey).max(LIMITS.changesPerProposalMax).exactOptional(),
});

const proposalState = z.enum(["open", "merged", "closed", "withdrawn"]);
const keyOutcome = z.enum(["proposed", "merged", "rejected"]);

export const proposalSchema = z.object({
  id: proposalId,
  project: projectName,
  state: proposalState,
  seq: z.number().int(),
  by: z.string(),
  title: z.string(),
  createdAt: isoDate,
  updatedAt: isoDate,
  branch: z.string(),
  /** Commit that a reviewer sees; approve pins it. */
  head: gitId.nullable(),
  /** Where a person reviews it. */
  url: z.string(),
  /** Why a reviewer closed it, or rejected a key. */
  reason: z.string().nullable(),
  changes: z.array(
    z.object({
      key: wireKey,
      kind: z.enum(["added", "changed", "removed"]),
      baseBlob: gitId.nullable(),
      blob: gitId.nullable(),
      state: keyOutcome,
    }),
  ),
  /** Keys that the base changed in another way since: approving them merges both, or answers 409 where the lines meet. */
  conflicts: z.array(wireKey),
});

export const proposalDetail = z.object({
  ...proposalSchema.shape,
  diff: z.array(z.object({ key: wireKey, before: z.string().nullable(), after: z.string().nullable() })),
  checks: z.array(z.object({ key: wireKey, check: z.string(), message: z.string() })),
});

export const proposalsResponse = z.object({ proposals: z.array(proposalSchema) });

export const approveRequest = z.strictObject({
  /** Only these keys; the others stay proposed. Left out: all. */
  keys: z.array(wireKey).max(LIMITS.changesPerProposalMax).exactOptional(),
  /** The head that was reviewed; another one by now answers 409. */
  head: gitId.exactOptional(),
});

export const closeRequest = z.strictObject({
  keys: z.array(wireKey).max(LIMITS.changesPerProposalMax).exactOptional(),
  reason: z.string().min(1).max(LIMITS.reasonLengthMax),
});

/** One entry of the outcomes header. */
export const proposalOutcome = z.object({
  state: proposalState,
  seq: z.number().int(),
  reason: z.string().nullable(),
  /** Keys that were rejected, or left out of the merge. */
  rejected: z.array(wireKey),
  url: z.string(),
});

export const joinRequest = z.strictObject({
  code: z.string().min(10).max(200),
  name: z.string().min(1).max(200).exactOptional(),
  email: z.string().min(3).max(320).exactOptional(),
  /** Name and address were said for this join: the caller who is known already takes them. */
  rename: z.boolean().exactOptional(),
  machine: z.string().max(200).exactOptional(),
  /** What the clone could be about: an invite for none of these is not used up. */
  projects: z.array(projectName).min(1).max(LIMITS.joinProjectsMax).exactOptional(),
});

export const joinResponse = z.object({
  token: z.string(),
  person: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  /** What the person is now on the projects that were named, else what the invite gave. */
  role: roleSchema,
  /** What the invite was for. Project patterns, `*` within a segment or at the end: `github.com/acme/*`, `*`. */
  projects: z.array(z.string()),
  server: z.object({ url: z.string(), version: z.string(), protocol: z.string() }),
});

/** What the remote's base would take from clients, and is held until a reviewer accepts it by its revision. */
const heldSchema = z.object({
  /** Null: the base itself was rewritten or is gone. */
  project: projectName.nullable(),
  from: gitId,
  to: gitId.nullable(),
  revision: gitId.nullable(),
  lost: z.number().int(),
  of: z.number().int(),
});
export const baseResponse = z.object({ revision: gitId, held: z.array(heldSchema) });
export const acceptBaseRequest = z.strictObject({ revision: gitId });

export const healthResponse = z.object({ status: z.literal("ok"), version: z.string() });
export const readyResponse = z.object({ status: z.enum(["ready", "starting"]), revision: z.string() });

/** `git`: a hook of the repository itself. Forgejo's deliveries have Gitea's form. */
export const webhookForge = z.enum(["github", "gitea", "gitlab", "git"]);
export const webhookResponse = z.object({ result: z.enum(["looking", "duplicate", "ignored"]) });

export type Role = z.infer<typeof roleSchema>;
export type MemoryType = z.infer<typeof memoryTypeSchema>;
export type Upsert = z.infer<typeof upsertSchema>;
export type MemoriesResponse = z.infer<typeof memoriesResponse>;
export type HeadResponse = z.infer<typeof headResponse>;
export type Proposal = z.infer<typeof proposalSchema>;
export type ProposalDetail = z.infer<typeof proposalDetail>;
export type ProposalRequest = z.infer<typeof proposalRequest>;
export type ProposalChange = z.infer<typeof changeSchema>;
export type ProposalOutcome = z.infer<typeof proposalOutcome>;
export type BaseResponse = z.infer<typeof baseResponse>;
export type MemoryResponse = z.infer<typeof memoryResponse>;
export type HistoryResponse = z.infer<typeof historyResponse>;
export type QuarantineResponse = z.infer<typeof quarantineResponse>;
export type ApproveRequest = z.infer<typeof approveRequest>;
export type CloseRequest = z.infer<typeof closeRequest>;
export type JoinRequest = z.infer<typeof joinRequest>;
export type JoinResponse = z.infer<typeof joinResponse>;
export type WebhookForge = z.infer<typeof webhookForge>;
