import type { FastifyPluginAsync } from "fastify";

interface PageOptions {
  readonly publicUrl: string;
  readonly version: string;
}

/**
 * For who opens an address in a browser. The code of an invite is in the link's fragment, which no browser sends: so
 * this page can only say what to paste it into.
 */
export const pages: FastifyPluginAsync<PageOptions> = async (app, { publicUrl, version }) => {
  const text = toText(publicUrl, version);
  for (const url of ["/", "/join"])
    app.get(url, { config: { access: "public" } }, async (_request, reply) =>
      reply.type("text/plain; charset=utf-8").send(text),
    );
};

function toText(publicUrl: string, version: string): string {
  return `This is team-memory ${version}: what coding agents learn about a project, shared by the team that works on it.

To join, run this in your clone of the project, with the link that you were given, all of it:

    npx -y ${publicUrl}/client.tgz join <link>

To review with plain git (any user name, your token as the password):

    git clone ${publicUrl}/git/memory.git

The API: ${publicUrl}/openapi.json
`;
}
