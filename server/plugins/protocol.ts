import fp from "fastify-plugin";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { isServedProtocol, PROTOCOL_HEADER, PROTOCOL_VERSION } from "../../shared/protocol/version.ts";

/** A client of another major version is told how to get the one that fits: the service serves it itself. */
export const protocol = fp<{ publicUrl: string }>(
  async (app, { publicUrl }) => {
    const command = `npx -y ${publicUrl}/client.tgz join`;
    app.addHook("onRequest", (request, _reply, done) => {
      const spoken = request.headers[PROTOCOL_HEADER];
      if (spoken !== undefined && spoken !== PROTOCOL_VERSION && !isServedProtocol(String(spoken)))
        throw new TeamMemoryError("upgrade_required", `Could not serve this client: run ${command}`, {
          details: { protocol: PROTOCOL_VERSION, command },
        });
      done();
    });
  },
  { name: "protocol", fastify: "5.x" },
);
