/** The port's verbs over two stores: objects by id and references by name. The stores know where those lie. */
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { LIMITS } from "../../shared/limits.ts";
import { applyTreeChanges, type TreeStore } from "./apply-tree-changes.ts";
import { forEachInParallel } from "./in-parallel.ts";
import { objectIdOf } from "./loose-object.ts";
import type { GitObject, ObjectStore, ObjectType } from "./objects.ts";
import type { Commit, CommitRequest, GitId, GitPort, PublishOutcome, RefUpdate } from "./port.ts";
import { parseRawCommit, toRawCommit } from "./raw-commit.ts";
import { parseRawTree, type RawEntry, toTreeEntry, treeSizeBytesMax } from "./raw-tree.ts";
import { translateGitError } from "./translate-git-error.ts";

export interface RefStore {
  readRef(ref: string): Promise<GitId | null>;
  readRefs(prefix: string): Promise<ReadonlyMap<string, GitId>>;
  publish(updates: readonly RefUpdate[]): Promise<PublishOutcome>;
}

export function buildGitPort(objects: ObjectStore, refs: RefStore): GitPort {
  /** Children are on the disk before what names them: a kill in between leaves nothing that leads nowhere. */
  async function commit(request: Omit<CommitRequest, "parents">, parents: readonly GitId[]): Promise<GitId> {
    const [first] = parents;
    const before = first === undefined ? null : (await readCommit(objects, first)).tree;
    const added: Buffer[] = [];
    const trees: TreeStore = {
      readEntries: (id, entriesMax) => readEntries(objects, id, entriesMax),
      addTree: (content) => {
        added.push(content);
        return objectIdOf("tree", content);
      },
    };
    const tree = await applyTreeChanges(trees, before, request.changes);
    await forEachInParallel(added, (content) => objects.write("tree", content));
    const raw = toRawCommit({ ...request, tree, parents });
    const line = request.lastLine?.(parseRawCommit("", raw));
    return objects.write("commit", line === undefined ? raw : Buffer.concat([raw, Buffer.from(`${line}\n`)]));
  }

  async function publish(updates: readonly RefUpdate[]): Promise<PublishOutcome> {
    for (const update of updates) if (update.new !== null) await readCommit(objects, update.new);
    return refs.publish(updates);
  }

  return {
    readRef: (ref) => guarded("read a reference", () => refs.readRef(ref)),
    readRefs: (prefix) => guarded("list references", () => refs.readRefs(prefix)),
    readCommit: (id) => guarded("read a commit", () => readCommit(objects, id)),
    readTree: (id, entriesMax) =>
      guarded("read a tree", async () => (await readEntries(objects, id, entriesMax)).map(toTreeEntry)),
    readBlobs: (ids, sizeBytesMax) => guarded("read memories", () => objects.readBlobs(ids, sizeBytesMax)),
    writeBlob: (bytes) => guarded("write a memory", () => objects.write("blob", bytes)),
    commitChanges: (request) => guarded("write a commit", () => commit(request, request.parents)),
    commitRoot: (request) => guarded("write a commit", () => commit(request, [])),
    publish: (updates) => guarded("move a reference", () => publish(updates)),
    refresh: () => guarded("look at the repository again", () => objects.refresh()),
  };
}

async function guarded<T>(could: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateGitError(error, could);
  }
}

/** Ids come from clients too: `not_found` for one that no commit has. */
async function readCommit(objects: ObjectStore, id: GitId): Promise<Commit> {
  const object = /^[0-9a-f]{40}$/u.test(id) ? await objects.read(id, LIMITS.commitSizeBytesMax) : null;
  if (object === null) throw new TeamMemoryError("not_found", `could not read commit ${JSON.stringify(id)}`);
  return parseRawCommit(id, assertType(id, object, "commit"));
}

/** A tree is only ever named by a commit or by another tree, so a missing one is damage. */
async function readEntries(objects: ObjectStore, id: GitId, entriesMax: number): Promise<readonly RawEntry[]> {
  const object = await objects.read(id, treeSizeBytesMax(entriesMax));
  if (object === null) throw new TeamMemoryError("repository_damaged", `could not read tree ${id}: it is missing`);
  return parseRawTree(assertType(id, object, "tree"), entriesMax);
}

function assertType(id: GitId, object: GitObject, type: ObjectType): Buffer {
  if (object.type === type) return object.content;
  throw new TeamMemoryError("repository_damaged", `could not read ${type} ${id}: it is a ${object.type}`);
}
