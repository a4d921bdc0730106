import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The package's root, whether this runs as built (dist/server/) or as written (server/). */
const HERE = import.meta.dirname;
const ROOT = join(HERE, basename(dirname(HERE)) === "dist" ? "../.." : "..");

/** The tarball of the client that fits this service. */
export const CLIENT_ARCHIVE = join(ROOT, "dist/client.tgz");

export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  return version;
}
