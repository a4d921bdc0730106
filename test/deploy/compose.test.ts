/** docker-compose.yml, judged without an engine: all that it names is there, and every setting is one of the service's. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig, SERVE_FLAGS } from "../../server/config.ts";
import { toVariable } from "../../server/remote-flags.ts";
import { ROOT } from "../architecture/source-tree.ts";

const texts = z.array(z.string());
const condition = z.enum(["service_started", "service_healthy", "service_completed_successfully"]);
const serviceSchema = z.strictObject({
  profiles: texts,
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  restart: z.enum(["no", "unless-stopped"]),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  tmpfs: texts.optional(),
  cap_drop: texts.optional(),
  security_opt: texts.optional(),
  stop_grace_period: z.string().optional(),
  network_mode: z.string().optional(),
  networks: texts.optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition })).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  entrypoint: texts.optional(),
  command: texts.optional(),
  ports: texts.default([]),
  volumes: texts.default([]),
  secrets: texts.default([]),
  healthcheck: z
    .strictObject({
      test: texts,
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
      start_period: z.string(),
    })
    .optional(),
});
const named = z.record(z.string(), z.unknown());
const composeSchema = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), serviceSchema),
  networks: named,
  volumes: named,
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

function readCompose() {
  const text = readFileSync(`${ROOT}docker-compose.yml`, "utf8");
  const written = parse(text, { merge: true }) as Record<string, unknown>;
  const known = Object.entries(written).filter(([name]) => !name.startsWith("x-"));
  return composeSchema.parse(Object.fromEntries(known));
}

describe("docker-compose.yml", () => {
  const compose = readCompose();
  const services = Object.entries(compose.services);
  const profiles = [...new Set(services.flatMap(([, service]) => service.profiles))];

  it("has a profile for its own Gitea and one for a forge elsewhere", () => {
    expect(profiles.sort()).toEqual(["gitea", "hosted"]);
  });

  it.each(services)("%s names nothing that is not there, in its own profile", (_, service) => {
    const isBeside = (profile: string) => service.profiles.includes(profile);
    const names = services.filter(([, { profiles: of }]) => of.some(isBeside)).map(([name]) => name);
    const { network_mode: mode = "", networks = [], secrets, volumes, build } = service;
    const shared = mode.startsWith("service:") ? [mode.slice("service:".length)] : [];
    const sources = volumes.map((volume) => volume.split(":")[0] ?? "");
    const files = [...sources.filter((source) => source.startsWith("./")), ...(build ? [build.dockerfile] : [])];
    const lacking = [
      ...[...Object.keys(service.depends_on), ...shared].filter((name) => !names.includes(name)),
      ...networks.filter((name) => !(name in compose.networks)),
      ...secrets.filter((name) => !(name in compose.secrets)),
      ...sources.filter((source) => !source.startsWith("./") && !(source in compose.volumes)),
      ...files.filter((file) => !existsSync(`${ROOT}${file}`)),
    ];
    expect(lacking).toEqual([]);
  });

  it.each(profiles)("of %s only the one with TLS has ports of the machine", (profile) => {
    const open = services.filter(([, { ports, profiles: of }]) => ports.length > 0 && of.includes(profile));
    expect(open.map(([name]) => name.split("-")[0])).toEqual(["tls"]);
  });

  it.each(["memory", "memory-hosted"])("%s runs with settings that the service takes, secrets by file", (name) => {
    const environment = compose.services[name]?.environment ?? {};
    const variables = Object.keys(SERVE_FLAGS).map(toVariable);
    for (const variable of Object.keys(environment)) expect(variables).toContain(variable);
    const written = Object.entries(environment).map(([variable, value]) => [variable, withDefaults(value)]);
    const remote = { TEAM_MEMORY_REMOTE: "https://github.com/acme/memory.git" };
    const settings = {
      ...(name === "memory-hosted" && remote),
      TEAM_MEMORY_WEBHOOK_SECRET_FILE: "",
      TEAM_MEMORY_DATA: "/nowhere",
    };
    const config = readConfig({}, { ...Object.fromEntries(written), ...settings });
    expect(config.people.remote).toMatchObject({ token: { kind: "file" } });
    expect(config.people.remote?.forge?.kind).toBe(name === "memory" ? "gitea" : "github");
  });
});

/** `${NAME:-default}`, where NAME is not set. */
function withDefaults(value: string): string {
  return value.replace(/\$\{\w+:-(?<text>[^}]*)\}/gu, "$<text>");
}
