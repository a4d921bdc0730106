import { dirname } from "node:path";
import { lockFolderOf } from "./data-folder.ts";
import { sweepPrivateTemps } from "./private-file.ts";
import { sweepUnfinished } from "./unfinished-folder.ts";

/** What was left by kills in and beside a data folder, the repository apart: paths of what was taken away. */
export async function sweepLeftovers(dataFolder: string): Promise<readonly string[]> {
  return [
    ...(await sweepUnfinished(dirname(dataFolder))),
    ...(await sweepPrivateTemps(dataFolder)),
    ...(await sweepPrivateTemps(lockFolderOf(dataFolder))),
  ];
}
