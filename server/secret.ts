import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { TeamMemoryError } from "../shared/errors/team-memory-error.ts";
import type { Config } from "./config.ts";
import { createPrivateFile, readFileIfThere } from "./private-file.ts";

export const SECRET_FILE = "secret";

/**
 * What token and invite hashes and the seals of commits are made with: the configured one, else the data folder's, made at first need.
 * @throws TeamMemoryError config_invalid, disk
 */
export async function openSecret(config: Pick<Config, "dataFolder" | "secret">): Promise<string> {
  if (config.secret !== null) return config.secret;
  const path = join(config.dataFolder, SECRET_FILE);
  const secret = (await readOrCreate(path)).trim();
  if (secret.length < 32) throw new TeamMemoryError("config_invalid", `Could not use ${path}: it is cut short`);
  return secret;
}

/** A key of 32 bytes for one purpose: what is made with it says nothing of the secret, nor of the keys of other purposes. */
export function deriveKey(secret: string, purpose: "commit seal"): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `team-memory ${purpose}`, 32));
}

/** Two first starts at once agree on the file that was created first. */
async function readOrCreate(path: string): Promise<string> {
  const kept = await readFileIfThere(path);
  if (kept !== null) return kept;
  await createPrivateFile(path, `${randomBytes(32).toString("hex")}\n`);
  return (await readFileIfThere(path)) ?? "";
}
