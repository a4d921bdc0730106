/** The least that Fastify can do for an unchanged poll: one route that answers 304. Prints its port. */
import fastify from "fastify";

const app = fastify();
app.get("/v1/projects/:project/memories", (_request, reply) => reply.code(304).header("etag", '"unchanged"').send());
await app.listen({ port: 0, host: "127.0.0.1" });
process.stdout.write(`${app.server.address().port}\n`);
