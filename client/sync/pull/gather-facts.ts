import { join } from "node:path";
import { LIMITS } from "../../../shared/limits.ts";
import { foldKey } from "../../../shared/path/key-set.ts";
import { PathTraversalError } from "../../../shared/path/path-traversal-error.ts";
import { isMemoryKey, type MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import { isBare } from "../folder/folder-sight.ts";
import type { TeamListing } from "../folder/list-team.ts";
import type { LocalFact } from "../folder/local-fact.ts";
import { lookOrNull } from "../folder/look.ts";
import { type LocalReader, type LocalText, openReader, toFact } from "../folder/read-local.ts";
import { type KeyMarks, type Marks, NO_MARKS } from "../state/marks.ts";
import type { Pristine } from "../state/pristine.ts";
import type { KeyFacts, ProposedFact } from "./plan-pull.ts";

/**
 * What planPull decides by, for every key that it could do something about. A file whose base is what the service still
 * serves is left unread, whatever it holds: a pull has nothing to do with it.
 */
export interface FactSources {
  readonly teamDir: string;
  readonly listing: TeamListing;
  readonly before: Pristine;
  readonly after: Pristine;
  readonly marks: Marks;
  readonly proposed: ReadonlyMap<string, ProposedFact>;
  /** Looked at in any case. */
  readonly asked: MemoryKey | null;
  /** The machine was started since the last run: look into files that a crash may have emptied. Null: it was not. */
  readonly restartedAtMs: number | null;
}

export interface Gathered {
  readonly facts: readonly KeyFacts[];
  /** Texts that were read, by key. */
  readonly texts: ReadonlyMap<string, LocalText>;
}

/** @throws PathTraversalError where a link lies at a key that the pull would touch */
export function gatherFacts(sources: FactSources): Gathered {
  const texts = new Map<string, LocalText>();
  const reader = openReader(sources.teamDir);
  try {
    const facts = listKeys(sources).map((key) => toFacts(sources, key, { texts, reader }));
    return { facts: blockFolded(facts), texts };
  } finally {
    reader.close();
  }
}

function listKeys(sources: FactSources): MemoryKey[] {
  const { listing, before, after, marks, proposed, asked } = sources;
  const known = [before, after, marks, proposed].flatMap((map): string[] => [...map.keys()]);
  const keys = new Set([...known, ...listing.files, ...(asked === null ? [] : [asked])]);
  return [...keys].filter((key) => !isIdle(sources, key)).filter(isMemoryKey);
}

function isIdle(sources: FactSources, key: string): boolean {
  const { teamDir, listing, before, after, marks, proposed, asked, restartedAtMs } = sources;
  const blob = before.get(key)?.canonicalBlob;
  const isSame = blob !== undefined && blob === after.get(key)?.canonicalBlob && listing.files.has(key as MemoryKey);
  if (!isSame || key === asked || marks.has(key) || proposed.has(key)) return false;
  return restartedAtMs === null || !isSuspect(join(teamDir, key), restartedAtMs);
}

/** Empty, or written so shortly before the restart that its bytes may not have reached the disk. */
function isSuspect(path: string, restartedAtMs: number): boolean {
  const seen = lookOrNull(path);
  if (seen === null || seen.size === 0) return true;
  return seen.mtimeMs < restartedAtMs && seen.mtimeMs > restartedAtMs - LIMITS.flushDelayMs;
}

interface Reading {
  readonly texts: Map<string, LocalText>;
  readonly reader: LocalReader;
}

function toFacts(sources: FactSources, key: MemoryKey, reading: Reading): KeyFacts {
  const marks = sources.marks.get(key) ?? NO_MARKS;
  const remote = sources.after.get(key)?.canonicalBlob ?? null;
  const base = baseOf(key, marks, sources.before);
  const local = lookAt(sources, key, { ...reading, isTouched: remote !== base });
  return { key, base, remote, local, marks, proposed: sources.proposed.get(key) ?? null };
}

/** What was placed last, which is not what was received last where it could not be placed. */
export function baseOf(key: string, marks: KeyMarks, before: Pristine): string | null {
  return marks.unplaced === undefined ? (before.get(key)?.canonicalBlob ?? null) : marks.unplaced.base;
}

type Look = Reading & { readonly isTouched: boolean };

function lookAt({ listing }: FactSources, key: MemoryKey, { isTouched, texts, reader }: Look): LocalFact {
  const isHidden = (folder: string) => folder === "" || key.startsWith(`${folder}/`);
  if (listing.unreadable.some(isHidden)) return { kind: "blocked", because: "unreadable" };
  if (isBare(listing.folders)) return { kind: "absent" };
  try {
    const local = reader.read(key);
    texts.set(key, local);
    return toFact(local);
  } catch (error) {
    if (!(error instanceof PathTraversalError)) throw error;
    // A link where the pull has nothing to do costs its key alone.
    if (!isTouched) return { kind: "blocked", because: "not_a_file" };
    // The check was of its folder: the person looks for the file.
    throw new PathTraversalError({ rule: error.rule, key, reason: error.reason });
  }
}

/**
 * A key whose name some disks take for that of a local file is not placed beside it, on any disk, so that all machines
 * agree. Files that the same pull removes are in nobody's way.
 */
function blockFolded(facts: readonly KeyFacts[]): KeyFacts[] {
  const staying = new Map<string, string>();
  for (const { key, local, remote, base } of facts) {
    if (local.kind === "file" && remote === null && local.blob !== base) staying.set(foldKey(key), key);
  }
  if (staying.size === 0) return [...facts];
  return facts.map((one) => {
    const other = staying.get(foldKey(one.key));
    const isInTheWay = one.remote !== null && other !== undefined && other !== one.key;
    return isInTheWay ? { ...one, local: { kind: "blocked", because: "folded" } } : one;
  });
}
