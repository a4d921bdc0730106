import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createPrivateFile, readFileIfThere } from "../private-file.ts";
import type { Invited, People } from "./open-people.ts";

/** In the data folder, readable by its owner alone: the code that is printed; the repository has its hash alone. */
const START_INVITE_FILE = "start-invite";

export type StartInvite = Pick<Invited, "code" | "expiresAt">;

/**
 * The invite that a start prints: the one that earlier starts have printed as long as it would let somebody in, so that
 * a restart neither breaks a line that was passed on nor leaves one more door open. Killed between the two writes, the
 * next start replaces an invite that nobody has seen.
 */
export async function openStartInvite(people: People, dataFolder: string): Promise<StartInvite> {
  const path = join(dataFolder, START_INVITE_FILE);
  const code = ((await readFileIfThere(path)) ?? "").trim();
  const expiresAt = await people.inviteExpiry(code);
  if (expiresAt !== null) return { code, expiresAt };
  const grant = { role: "contributor" as const, projects: ["*"] };
  const [invited] = await people.createInvites({ grant, name: null, email: null, origin: "start" }, 1);
  if (invited === undefined) throw new TypeError("one invite was asked for, and none was made");
  await rm(path, { force: true });
  await createPrivateFile(path, `${invited.code}\n`);
  return invited;
}
