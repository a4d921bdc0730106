import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { start } from "./start-service.ts";

describe("serve", () => {
  it("prints a join line, and a restart the same one while nobody has used it", async () => {
    const data = join(await tempDir(), "data");
    const first = await start({ data, "public-url": "http://memory.example.org" });
    const { command, expiresAt } = first.result.join;
    expect(first.lines.endsWith(`works once, until ${expiresAt.slice(0, 10)}):\n\n  ${command}\n`)).toBe(true);
    await first.stop();
    const second = await start({ data, "public-url": "http://memory.example.org" });
    expect(second.result.join.command).toBe(command);
  });

  it("goes on where nobody reads what it prints", async () => {
    const result = () => {
      throw new TeamMemoryError("disk", "Could not write to standard output (EPIPE)");
    };
    const { app } = await start({ data: join(await tempDir(), "data") }, { result });
    expect((await app.inject({ url: "/healthz" })).statusCode).toBe(200);
    expect(app.server.listening).toBe(true);
  });

  it.each([
    { host: "0.0.0.0", publicUrl: null, warns: true },
    { host: "0.0.0.0", publicUrl: "http://memory.example.org", warns: false },
    { host: "127.0.0.1", publicUrl: null, warns: false },
  ])("on $host with the public address $publicUrl warns of links to loopback: $warns", async (wish) => {
    const address = wish.publicUrl === null ? {} : { "public-url": wish.publicUrl };
    const { err, order } = await start({ data: join(await tempDir(), "data"), host: wish.host, ...address });
    expect(err.includes("--public-url")).toBe(wish.warns);
    expect(order.at(-1)).toBe("result");
  });

  it("says which address another program has, and leaves the data folder free", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(async () => void other.close());
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const data = join(await tempDir(), "data");
    await expect(start({ data, port: String(port) })).rejects.toMatchObject({
      code: "address_in_use",
      message: expect.stringContaining(`127.0.0.1:${port}`),
      row: { remedy: expect.stringContaining("--port") },
    });
    await expect(start({ data })).resolves.toBeDefined();
  });

  it("calls an address that this machine does not have a wrong setting", async () => {
    const data = join(await tempDir(), "data");
    await expect(start({ data, host: "192.0.2.1", port: "7357" })).rejects.toMatchObject({
      code: "config_invalid",
      details: { problems: [expect.stringContaining("--host")] },
    });
  });
});
