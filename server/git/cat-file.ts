/**
 * Many packed blobs at once through one git child: it tells sizes before contents, holds no pack in our memory, and reads
 * a whole project in the time that isomorphic-git needs for a few dozen.
 */
import type { GitBinary } from "./git-binary.ts";
import { runGit } from "./git-binary.ts";
import type { GitId } from "./port.ts";

interface Ask {
  readonly binary: GitBinary;
  readonly gitDir: string;
  readonly ids: readonly GitId[];
}

/** Room for the line that git prints before a content, and the newline after it. */
const LINE_SIZE_BYTES = 100;

/** Sizes of those that are blobs. */
export async function readBlobSizes({ binary, gitDir, ids }: Ask): Promise<ReadonlyMap<GitId, number>> {
  const said = await runGit(binary, [`--git-dir=${gitDir}`, "cat-file", "--batch-check"], {
    input: toLines(ids),
    outputSizeBytesMax: ids.length * LINE_SIZE_BYTES,
  });
  const sizes = new Map<GitId, number>();
  for (const line of said.toString("latin1").split("\n")) {
    const match = /^(?<id>[0-9a-f]{40}) blob (?<size>\d+)$/u.exec(line);
    if (match?.groups?.["id"] !== undefined) sizes.set(match.groups["id"], Number(match.groups["size"]));
  }
  return sizes;
}

/** Contents by id; `sizes` is what readBlobSizes said of them. */
export async function readBlobContents(
  { binary, gitDir, ids }: Ask,
  sizes: ReadonlyMap<GitId, number>,
): Promise<ReadonlyMap<GitId, Buffer>> {
  const total = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0) + LINE_SIZE_BYTES, 0);
  const printed = await runGit(binary, [`--git-dir=${gitDir}`, "cat-file", "--batch"], {
    input: toLines(ids),
    outputSizeBytesMax: total,
  });
  return parseBatch(printed);
}

function toLines(ids: readonly GitId[]): string {
  return ids.map((id) => `${id}\n`).join("");
}

/** `<id> blob <size>`, newline, content, newline; or `<id> missing`. */
function parseBatch(printed: Buffer): ReadonlyMap<GitId, Buffer> {
  const contents = new Map<GitId, Buffer>();
  for (let at = 0; at < printed.length; ) {
    const end = printed.indexOf("\n", at);
    const match = /^(?<id>[0-9a-f]{40}) blob (?<size>\d+)$/u.exec(printed.toString("latin1", at, end));
    at = end + 1;
    if (match?.groups?.["id"] === undefined) continue;
    const size = Number(match.groups["size"]);
    contents.set(match.groups["id"], printed.subarray(at, at + size));
    at += size + 1;
  }
  return contents;
}
