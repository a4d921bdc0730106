import { join } from "node:path";
import { createPrivateFile, readFileIfThere } from "../private-file.ts";
import { newToken } from "./credentials.ts";
import type { People } from "./open-people.ts";
import { hasAdmin } from "./roles.ts";

/** In the data folder, readable by its owner alone. */
export const ADMIN_TOKEN_FILE = "admin-token";

/**
 * An admin for a team that has none, their token in the data folder. The file comes first: killed in between, the next
 * start finds a token that nobody has yet, and gives it to the admin.
 */
export async function createFirstAdmin(people: People, dataFolder: string): Promise<void> {
  const { people: persons } = (await people.list()).people;
  if (hasAdmin(persons)) return;
  const path = join(dataFolder, ADMIN_TOKEN_FILE);
  await createPrivateFile(path, `${newToken()}\n`);
  await people.createFirstAdmin(((await readFileIfThere(path)) ?? "").trim());
}
