import { z } from "zod";
import { proposalId } from "../../shared/protocol/schemas.ts";

/** A project in an address: its `/` written `~`. Parsed into a ProjectName by requireRole. */
const project = z.string().describe("github.com~acme~shop");

export const projectParams = z.object({ project });
export const proposalParams = z.object({ project, id: proposalId });
export const keyParams = z.object({ project, "*": z.string().describe("the memory's key") });

export const TAGS = {
  memories: ["memories"],
  proposals: ["proposals"],
  people: ["people"],
  service: ["service"],
} as const;
