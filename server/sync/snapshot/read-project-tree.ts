/**
 * One project's `team` folder as raw trees have it, sorted out by name and mode alone: what may be a memory, and what is
 * quarantined. Humans push what they like, so every entry is hostile until a rule has let it through. Walked by level: a
 * bomb deep in one folder leaves the budget of everything above it alone.
 */
import { LIMITS } from "../../../shared/limits.ts";
import { escapeForDisplay } from "../../../shared/path/escape-for-display.ts";
import { KEY_RULES } from "../../../shared/path/key-rules.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { withoutSecrets } from "../../../shared/secret/without-secrets.ts";
import type { GitId, TreeEntry } from "../../git/port.ts";
import { type QuarantinedFile, type TREE_RULES, toQuarantined, toShownPath } from "./quarantine.ts";
import { isFolder, isPlainFile, type NamedEntry, type ReadFolder } from "./read-folder.ts";

export interface ProjectTree {
  readonly files: ReadonlyMap<MemoryKey, GitId>;
  readonly quarantined: readonly QuarantinedFile[];
}

interface Level {
  readonly prefix: string;
  readonly depth: number;
  readonly id: GitId;
}

/** `known`: keys that passed before, so that only new names are judged again. */
export async function readProjectTree(
  readFolder: ReadFolder,
  teamTree: GitId,
  known: ReadonlyMap<string, unknown>,
): Promise<ProjectTree> {
  const files = new Map<MemoryKey, GitId>();
  const quarantined: QuarantinedFile[] = [];
  const waiting: Level[] = [{ prefix: "", depth: 1, id: teamTree }];
  let entriesLeft: number = LIMITS.treeEntriesMax;
  // Grows while it is walked.
  for (const level of waiting) {
    const folder = level.depth > LIMITS.treeDepthMax ? null : await readFolder(level.id, entriesLeft);
    if (folder === null) {
      quarantined.push(toQuarantined(level.prefix, "R-BUDGET"));
      continue;
    }
    entriesLeft -= folder.entries;
    quarantined.push(...folder.odd.map((entry) => toOdd(level.prefix, entry)));
    for (const entry of folder.named.values()) {
      const path = level.prefix + entry.name;
      const verdict = judgeEntry(entry, path, known);
      if ("rule" in verdict) quarantined.push(verdict);
      else if (verdict.kind === "file") files.set(verdict.key, entry.id);
      else waiting.push({ prefix: `${path}/`, depth: level.depth + 1, id: entry.id });
    }
  }
  return { files, quarantined };
}

/** A name that is no name is shown as the port escaped it. */
function toOdd(prefix: string, { display }: TreeEntry): QuarantinedFile {
  return { ...toQuarantined("", "R-NAME"), path: withoutSecrets(escapeForDisplay(prefix) + display) };
}

type Verdict = QuarantinedFile | { readonly kind: "file"; readonly key: MemoryKey } | { readonly kind: "folder" };

function judgeEntry(entry: NamedEntry, path: string, known: ReadonlyMap<string, unknown>): Verdict {
  if (isFolder(entry)) return judgeFolder(path);
  const rule = ruleOfMode(entry);
  if (rule !== null) return toQuarantined(path, rule);
  if (known.has(path)) return { kind: "file", key: path as MemoryKey };
  return judgeKey(path, path) ?? { kind: "file", key: path as MemoryKey };
}

/** A folder is opened only where a memory in it could have a key: `.git`, `..` and their like are one line, not many. */
function judgeFolder(path: string): Verdict {
  return judgeKey(`${path}/a.md`, path) ?? { kind: "folder" };
}

function judgeKey(key: string, path: string): QuarantinedFile | null {
  const broken = KEY_RULES.find((rule) => rule.isBroken(key));
  return broken === undefined ? null : { path: toShownPath(path), rule: broken.id, reason: broken.reason };
}

function ruleOfMode(entry: TreeEntry): keyof typeof TREE_RULES | null {
  if (isPlainFile(entry)) return null;
  if (entry.mode === "120000") return "R-LINK";
  return entry.mode === "160000" ? "R-SUBMODULE" : "R-MODE";
}
