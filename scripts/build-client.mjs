/**
 * Builds what the service hands to its clients: client/main.ts and all it imports as CommonJS files in dist/bundle/, and
 * that folder as dist/client.tgz, which `npx -y <url>/client.tgz` runs with no registry in reach. CommonJS, so that
 * a module which is imported on demand is only evaluated on demand.
 */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { collectLicences } from "./collect-licences.mjs";
import { packTarball } from "./pack-tarball.mjs";
import { buildSplitClient } from "./split-client.mjs";

const BIN = "team-memory.cjs";
const root = fileURLToPath(new URL("..", import.meta.url));
const bundleFolder = `${root}dist/bundle/`;
const { version, license, description, engines } = JSON.parse(await readFile(`${root}package.json`, "utf8"));

await rm(bundleFolder, { recursive: true, force: true });
await mkdir(bundleFolder, { recursive: true });
const inputs = await bundleClient();
await writeFile(`${bundleFolder}package.json`, `${JSON.stringify(manifest(), null, 2)}\n`);
await writeFile(`${bundleFolder}THIRD-PARTY-LICENSES.txt`, await collectLicences(root, inputs));
await copyFile(`${root}LICENSE`, `${bundleFolder}LICENSE`);
await packTarball(bundleFolder, `${root}dist/client.tgz`);
await chmod(`${root}dist/server/main.js`, 0o755);

async function bundleClient() {
  const { launch, parts, inputs } = await buildSplitClient({
    absWorkingDir: root,
    launchPoint: "client/launch.ts",
    entryPoint: "client/main.ts",
    prefix: "team-memory-",
    platform: "node",
    format: "cjs",
    target: "node20.19",
    define: { __VERSION__: JSON.stringify(version) },
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    legalComments: "none",
    logLevel: "warning",
  });
  for (const [name, text] of parts) await writeFile(`${bundleFolder}${name}`, text);
  await writeFile(`${bundleFolder}${BIN}`, launch, { mode: 0o755 });
  return inputs;
}

/** No dependencies: all of them are in the bundle, and installing it asks no registry. */
function manifest() {
  return { name: "team-memory", version, description, license, engines, bin: { "team-memory": BIN } };
}
