import { buildGitPort } from "../../server/git/build-git-port.ts";
import { objectIdOf } from "../../server/git/loose-object.ts";
import type { GitObject, ObjectStore } from "../../server/git/objects.ts";
import type { GitId, GitPort } from "../../server/git/port.ts";
import { assertRefName } from "../../server/git/ref-name.ts";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";

/** The git port in memory: the same ids as git, no disk, no other writers. `main` is there, with a first commit. */
export async function openMemoryGit(baseRef = "refs/heads/main"): Promise<GitPort> {
  const port = buildGitPort(memoryObjects(), memoryRefs());
  const who = { name: "team-memory", email: "team-memory@localhost" };
  const root = await port.commitRoot({ changes: [], author: who, committer: who, at: new Date(0), message: "root" });
  await port.publish([{ ref: baseRef, expectedOld: null, new: root }]);
  return port;
}

function memoryObjects(): ObjectStore {
  const objects = new Map<GitId, GitObject>();
  return {
    read: async (id, sizeBytesMax) => {
      const object = objects.get(id) ?? null;
      if (object !== null && object.content.length > sizeBytesMax)
        throw new TeamMemoryError("too_large", `${id} is large`);
      return object;
    },
    readBlobs: async (ids, sizeBytesMax) => {
      const blobs = ids.flatMap((id) => {
        const object = objects.get(id);
        return object?.type === "blob" ? [[id, object.content] as const] : [];
      });
      return new Map(blobs.map(([id, content]) => [id, content.length > sizeBytesMax ? null : content]));
    },
    write: async (type, content) => {
      const id = objectIdOf(type, content);
      objects.set(id, { type, content: Buffer.from(content) });
      return id;
    },
    refresh: async () => {},
  };
}

function memoryRefs() {
  const refs = new Map<string, GitId>();
  return {
    readRef: async (ref: string) => {
      assertRefName(ref);
      return refs.get(ref) ?? null;
    },
    readRefs: async (prefix: string) => new Map([...refs].filter(([ref]) => ref.startsWith(prefix)).sort()),
    publish: async (updates: Parameters<GitPort["publish"]>[0]) => {
      for (const { ref } of updates) assertRefName(ref);
      const lost = updates.find(({ ref, expectedOld }) => (refs.get(ref) ?? null) !== expectedOld);
      if (lost !== undefined) return { kind: "lost", ref: lost.ref } as const;
      for (const { ref, new: id } of updates) id === null ? refs.delete(ref) : refs.set(ref, id);
      return { kind: "published" } as const;
    },
  };
}
