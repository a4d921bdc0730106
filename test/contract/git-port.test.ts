import { openFresh, theGit } from "../server/git/support.ts";
import { describeGitPort } from "./git-port.ts";
import { openMemoryGit } from "./memory-git.ts";

describeGitPort("in memory", openMemoryGit);
describeGitPort("embedded, without git", () => openFresh(null));
describeGitPort("embedded, with git", async () => openFresh(await theGit()));
