import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { projectsResponse } from "../../shared/protocol/schemas.ts";
import { principalOf } from "../people/require-role.ts";
import type { Engine } from "../sync/engine.ts";
import { failures } from "./failures.ts";
import { TAGS } from "./project-params.ts";

/** The projects that this token may see, with its role on each. */
export const projects: FastifyPluginAsyncZod<{ engine: Engine }> = async (app, { engine }) => {
  const schema = { tags: TAGS.memories, response: { 200: projectsResponse, ...failures() } };
  app.get("/projects", { schema }, async (request) => {
    const { roleOn } = principalOf(request);
    const all = await engine.listProjects();
    return {
      projects: all.flatMap((listed) => {
        const role = roleOn(listed.project);
        return role === null ? [] : [{ ...listed, role }];
      }),
    };
  });
};
