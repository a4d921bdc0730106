/**
 * The index's lines on disk: one JSON object a line, appended. It is a cache: whatever does not parse or does not follow
 * from the line before ends the reading, and the rest is read from git again.
 */
import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { GitId } from "../../git/port.ts";
import type { CommitRecord } from "./history-record.ts";

/** A tree as clients were served it, where that differs from the raw one. */
export interface ServedTree {
  readonly project: string;
  readonly raw: GitId;
  readonly served: GitId;
}

export type HistoryLine = { readonly commit: CommitRecord } | { readonly served: ServedTree };

const HEADER = JSON.stringify({ format: 1, holds: "history of the base, one commit a line" });

export interface HistoryLines {
  readonly lines: readonly HistoryLine[];
  /** False where some of the file could not be used, or there is none. */
  readonly whole: boolean;
}

export async function readHistoryFile(path: string): Promise<HistoryLines> {
  const [header, ...texts] = (await readFile(path, "utf8").catch(() => "")).split("\n");
  if (header !== HEADER) return { lines: [], whole: false };
  const lines: HistoryLine[] = [];
  let tip: GitId | null = null;
  for (const text of texts) {
    const line = parseLine(text);
    if (line === null) break;
    if ("commit" in line) {
      if (line.commit.parent !== tip) break;
      tip = line.commit.id;
    }
    lines.push(line);
  }
  // The last text is what follows the final newline: nothing.
  return { lines, whole: lines.length === texts.length - 1 && texts.at(-1) === "" };
}

/** A kill in the middle of an append leaves half a line: it and what follows do not count. */
function parseLine(text: string): HistoryLine | null {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line !== null && ("commit" in line || "served" in line)
      ? (line as HistoryLine)
      : null;
  } catch {
    return null;
  }
}

/** Replaces the file: the new one is whole before it takes the old one's place. */
export async function writeHistoryFile(path: string, lines: readonly HistoryLine[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, [HEADER, ...lines.map((line) => JSON.stringify(line)), ""].join("\n"), {
    mode: 0o600,
  });
  await rename(`${path}.new`, path);
}

export async function appendHistoryFile(path: string, lines: readonly HistoryLine[]): Promise<void> {
  await appendFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
}
