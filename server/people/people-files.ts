import { z } from "zod";
import { roleSchema } from "../../shared/protocol/schemas.ts";
import type { StateFile } from "../state/state-files.ts";

/** A role on every project that one of the patterns names: `*` within a segment or at the end. */
const grantSchema = z.strictObject({ role: roleSchema, projects: z.array(z.string()) });

const personSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  /** An admin named the address. Left out or false: its person said so, which lets nobody be them. */
  emailVouched: z.boolean().exactOptional(),
  grants: z.array(grantSchema),
  createdAt: z.string(),
});

/** `hash` is keyed: a copy of the repository lets nobody in. */
const tokenSchema = z.strictObject({
  id: z.string(),
  personId: z.string(),
  hash: z.string(),
  machine: z.string(),
  createdAt: z.string(),
});

const inviteSchema = z.strictObject({
  id: z.string(),
  hash: z.string(),
  grant: grantSchema,
  name: z.string().nullable(),
  email: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** `start`: printed by a start of the service, and replaced by the next one's. */
  origin: z.enum(["start", "admin"]),
});

const peopleSchema = z.strictObject({ format: z.literal(1), people: z.array(personSchema) });
const tokensSchema = z.strictObject({
  format: z.literal(1),
  /** Tells whether the hashes were made with the secret at hand; null: no hash yet. */
  secretCheck: z.string().nullable(),
  tokens: z.array(tokenSchema),
});
const invitesSchema = z.strictObject({ format: z.literal(1), invites: z.array(inviteSchema) });

export type Grant = Readonly<z.infer<typeof grantSchema>>;
export type PersonRecord = Readonly<z.infer<typeof personSchema>>;
export type TokenRecord = Readonly<z.infer<typeof tokenSchema>>;
export type InviteRecord = Readonly<z.infer<typeof inviteSchema>>;

/** The three files as they stand in one commit. */
export interface PeopleState {
  readonly people: z.infer<typeof peopleSchema>;
  readonly tokens: z.infer<typeof tokensSchema>;
  readonly invites: z.infer<typeof invitesSchema>;
}

export const PEOPLE_FILES: { readonly [K in keyof PeopleState]: StateFile<PeopleState[K]> } = {
  people: { name: "people.json", parse: (json) => peopleSchema.parse(json), empty: { format: 1, people: [] } },
  tokens: {
    name: "tokens.json",
    parse: (json) => tokensSchema.parse(json),
    empty: { format: 1, secretCheck: null, tokens: [] },
  },
  invites: { name: "invites.json", parse: (json) => invitesSchema.parse(json), empty: { format: 1, invites: [] } },
};
