import { setTimeout as sleep } from "node:timers/promises";
import { isTeamMemoryError, TeamMemoryError } from "../../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../../shared/limits.ts";

/**
 * Gitea and GitLab answer 405 while they still look whether a new pull request can be merged. Tried again for a while, each
 * time after a longer rest; then the refusal is what it says.
 *
 * @throws TeamMemoryError proposal_changed where the branch stands elsewhere than was approved, and as the forge refuses
 */
export async function retryMerge(merge: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await merge();
      return;
    } catch (error) {
      if (!isTeamMemoryError(error)) throw error;
      const { status, words } = error.details;
      if (status === 409 && !/conflict/iu.test(String(words))) {
        throw new TeamMemoryError(
          "proposal_changed",
          "Could not approve it: its branch has moved since it was reviewed",
        );
      }
      if (status !== 405 || attempt >= LIMITS.forgeMergeAttemptsMax) throw error;
    }
    await sleep(LIMITS.forgeMergeRestMs * attempt ** 2);
  }
}
