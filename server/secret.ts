import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { Config } from "./config.ts";
import { createPrivateFile, readFileIfThere } from "./private-file.ts";

export const SECRET_FILE = "secret";

/**
 * The key of all token and invite hashes: the configured one, else the data folder's, made at first need.
 * @throws TeamMemoryError config_invalid, disk
 */
export async function openSecret(config: Pick<Config, "dataFolder" | "secret">): Promise<string> {
  if (config.secret !== null) return config.secret;
  const path = join(config.dataFolder, SECRET_FILE);
  const secret = (await readOrCreate(path)).trim();
  if (secret.length < 32) throw new TeamMemoryError("config_invalid", `Could not use ${path}: it is cut short`);
  return secret;
}

/** Two first starts at once agree on the file that was created first. */
async function readOrCreate(path: string): Promise<string> {
  const kept = await readFileIfThere(path);
  if (kept !== null) return kept;
  await createPrivateFile(path, `${randomBytes(32).toString("hex")}\n`);
  return (await readFileIfThere(path)) ?? "";
}
