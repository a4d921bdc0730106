/**
 * Builds what the service hands to its clients: client/main.ts and all it imports as one CommonJS file in dist/bundle/,
 * and that folder as dist/client.tgz, which `npx -y <url>/client.tgz` runs with no registry in reach. One file, so that
 * a hook starts fast; CommonJS, so that a module which is imported on demand is only evaluated on demand.
 */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { collectLicences } from "./collect-licences.mjs";
import { packTarball } from "./pack-tarball.mjs";

const BIN = "team-memory.cjs";
const root = fileURLToPath(new URL("..", import.meta.url));
const bundleFolder = `${root}dist/bundle/`;
const { version, license, description, engines } = JSON.parse(await readFile(`${root}package.json`, "utf8"));

await rm(bundleFolder, { recursive: true, force: true });
await mkdir(bundleFolder, { recursive: true });
const { metafile } = await bundleClient();
await writeFile(`${bundleFolder}package.json`, `${JSON.stringify(manifest(), null, 2)}\n`);
await writeFile(`${bundleFolder}THIRD-PARTY-LICENSES.txt`, await collectLicences(root, Object.keys(metafile.inputs)));
await copyFile(`${root}LICENSE`, `${bundleFolder}LICENSE`);
await packTarball(bundleFolder, `${root}dist/client.tgz`);
await chmod(`${root}dist/server/main.js`, 0o755);

async function bundleClient() {
  const outfile = `${bundleFolder}${BIN}`;
  const result = await build({
    absWorkingDir: root,
    entryPoints: ["client/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    define: { __VERSION__: JSON.stringify(version) },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  await chmod(outfile, 0o755);
  return result;
}

/** No dependencies: all of them are in the bundle, and installing it asks no registry. */
function manifest() {
  return { name: "team-memory", version, description, license, engines, bin: { "team-memory": BIN } };
}
