import { z } from "zod";
import { parseProjectName } from "../../../shared/project/parse-project-name.ts";
import type { StateFile } from "../../state/state-files.ts";
import type { Bases } from "./hold.ts";

const gitId = z.string().regex(/^[0-9a-f]{40}$/);
const place = { project: z.string().nullable(), from: gitId, to: gitId.nullable() };
const fileSchema = z.strictObject({
  format: z.literal(1),
  held: z.array(z.strictObject({ ...place, revision: gitId.nullable(), lost: z.number(), of: z.number() })),
  accepted: z.array(z.strictObject({ ...place, by: z.string(), at: z.string() })),
});

/** What is held, and what was accepted, so that every process and a fresh data folder agree on what is served. */
export const BASES_FILE: StateFile<Bases> = {
  name: "bases.json",
  empty: { format: 1, held: [], accepted: [] },
  parse: (json) => {
    const { format, held, accepted } = fileSchema.parse(json);
    return { format, held: held.map(brand), accepted: accepted.map(brand) };
  },
};

function brand<T extends { readonly project: string | null }>(row: T) {
  return { ...row, project: row.project === null ? null : parseProjectName(row.project) };
}
