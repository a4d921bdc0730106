import { z } from "zod";
import { sanitizePathKey } from "../../../shared/path/sanitize-path-key.ts";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import { proposalId } from "../../../shared/protocol/schemas.ts";
import type { StateFile } from "../../state/state-files.ts";
import type { Outcome } from "./outcome.ts";

const gitId = z.string().regex(/^[0-9a-f]{40}$/);
const outcomeSchema = z.strictObject({
  id: proposalId,
  project: z.string(),
  person: z.string(),
  by: z.string(),
  title: z.string(),
  state: z.enum(["open", "merged", "closed", "withdrawn"]),
  seq: z.number(),
  reason: z.string().nullable(),
  head: gitId.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  changes: z.array(
    z.strictObject({
      key: z.string(),
      base: gitId.nullable(),
      blob: gitId.nullable(),
      state: z.enum(["merged", "rejected"]),
    }),
  ),
});
const fileSchema = z.strictObject({ format: z.literal(1), outcomes: z.array(outcomeSchema) });

export interface OutcomesValue {
  readonly format: 1;
  /** Oldest first. */
  readonly outcomes: readonly Outcome[];
}

export const OUTCOMES_FILE: StateFile<OutcomesValue> = {
  name: "outcomes.json",
  empty: { format: 1, outcomes: [] },
  parse: (json) => {
    const { format, outcomes } = fileSchema.parse(json);
    return { format, outcomes: outcomes.map(brand) };
  },
};

function brand(outcome: z.infer<typeof outcomeSchema>): Outcome {
  const changes = outcome.changes.map((change) => ({ ...change, key: sanitizePathKey(change.key) }));
  return { ...outcome, project: parseProjectName(outcome.project), changes };
}
