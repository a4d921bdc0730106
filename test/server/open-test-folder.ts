import { openEmbeddedRepository } from "../../server/git/open-embedded.ts";
import { openPeople } from "../../server/people/open-people.ts";
import { openStateFiles } from "../../server/state/state-files.ts";
import { tempDir } from "../support/temp-dir.ts";

export const BASE_REF = "refs/heads/main";
export const SECRET = "a secret of thirty-two characters, at least";

/** A real repository in a folder of its own, with people on it. `now` can be moved by a test. */
export async function openTestFolder(folder?: string) {
  const dataFolder = folder ?? (await tempDir());
  const time = { now: new Date("2026-03-05T10:00:00.000Z") };
  const clock = () => time.now;
  const git = await openEmbeddedRepository({ folder: dataFolder, git: null, baseRef: BASE_REF });
  const state = openStateFiles(git, clock);
  const people = openPeople({ state, secret: SECRET, clock });
  return { dataFolder, time, clock, git, state, people };
}
