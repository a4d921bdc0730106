import type { FastifyPluginAsync } from "fastify";

interface PageOptions {
  readonly publicUrl: string;
  readonly version: string;
  /** False: the repository is not served at /git. */
  readonly servesGit: boolean;
}

/**
 * For who opens an address in a browser. The code of an invite is in the link's fragment, which no browser sends: so
 * this page can only say what to paste it into.
 */
export const pages: FastifyPluginAsync<PageOptions> = async (app, options) => {
  const text = toText(options);
  for (const url of ["/", "/join"])
    app.get(url, { config: { access: "public" } }, async (_request, reply) =>
      reply.type("text/plain; charset=utf-8").send(text),
    );
};

function toText({ publicUrl, version, servesGit }: PageOptions): string {
  const review = servesGit
    ? `To review with plain git (any user name, your token as the password):

    git clone ${publicUrl}/git/memory.git`
    : `To review:

    team-memory review list`;
  return `This is team-memory ${version}: what coding agents learn about a project, shared by the team that works on it.

To join, run this in your clone of the project, with the link that you were given, all of it:

    npx -y ${publicUrl}/client.tgz join <link>

${review}

The API: ${publicUrl}/openapi.json
`;
}
