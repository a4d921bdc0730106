import { readFile } from "node:fs/promises";
import type { GitId } from "../port.ts";

/** The ids of a pack's objects, sorted, 20 bytes each, as its index has them. */
export type PackIds = Buffer;

const ID_SIZE_BYTES = 20;
const MAGIC_AND_VERSION = "ff744f6300000002";
const COUNT_AT = 8 + 255 * 4;
const IDS_AT = 8 + 256 * 4;

/** None where the file is no index of the second version, which all programs of this century write. */
export async function readPackIds(indexPath: string): Promise<PackIds> {
  const bytes = await readFile(indexPath);
  if (bytes.length < IDS_AT || bytes.toString("hex", 0, 8) !== MAGIC_AND_VERSION) return Buffer.alloc(0);
  return bytes.subarray(IDS_AT, IDS_AT + bytes.readUInt32BE(COUNT_AT) * ID_SIZE_BYTES);
}

export function hasId(ids: PackIds, id: GitId): boolean {
  const wanted = Buffer.from(id, "hex");
  let [low, high] = [0, ids.length / ID_SIZE_BYTES];
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = ids.compare(wanted, 0, ID_SIZE_BYTES, middle * ID_SIZE_BYTES, (middle + 1) * ID_SIZE_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
