import { LIMITS } from "../../../shared/limits.ts";
import type { GitBinary } from "../git-binary.ts";
import type { ObjectStore } from "../objects.ts";
import type { GitId, RefUpdate } from "../port.ts";
import { askOnce } from "./ask-once.ts";
import type { HttpClient } from "./http-client.ts";
import { isOfItsForm, pushOneByOne } from "./push-one-by-one.ts";
import { pushPack, readPushCapabilities } from "./receive-pack.ts";
import { storePack } from "./store-pack.ts";
import type { PushReport, Transport } from "./transport.ts";
import { assertVersion2, fetchPack, listRefs } from "./upload-pack.ts";
import { collectUnsent, toPack } from "./write-pack.ts";

interface HttpTransportOptions {
  readonly url: string;
  readonly http: HttpClient;
  readonly gitDir: string;
  readonly git: GitBinary | null;
  readonly objects: ObjectStore;
  readonly unsent: Unsent;
}

/** Which objects were written here and have not been pushed. */
export interface Unsent {
  has(id: GitId): boolean;
  drop(ids: Iterable<GitId>): void;
}

/** What the remote offers is asked once, and again after a failure. */
export function buildHttpTransport({ url, http, gitDir, git, objects, unsent }: HttpTransportOptions): Transport {
  const isVersion2 = askOnce(() => assertVersion2(http));
  const capabilities = askOnce(() => readPushCapabilities(http));
  let isByLibrary = false;

  async function push(updates: readonly RefUpdate[], { isAtomic }: { isAtomic: boolean }): Promise<PushReport> {
    const heads = updates.flatMap((update) => update.new ?? []);
    const sent = await collectUnsent(objects, heads, unsent.has);
    const report = await pushEitherWay(updates, isAtomic, toPack([...sent.values()]));
    if (report.refusals.size === 0) unsent.drop(sent.keys());
    return report;
  }

  /** A host that takes the library's form and not ours is remembered as such until the end of the process. */
  async function pushEitherWay(updates: readonly RefUpdate[], isAtomic: boolean, pack: Buffer): Promise<PushReport> {
    const library = { gitDir, url, http };
    if (isByLibrary) return pushOneByOne(library, updates, isAtomic);
    try {
      return await pushPack({ http, updates, isAtomic, offered: await capabilities.get(), pack });
    } catch (refusal) {
      if (!isOfItsForm(refusal)) throw refusal;
      const report = await pushOneByOne(library, updates, isAtomic).catch(() => {
        throw refusal;
      });
      isByLibrary = true;
      return report;
    }
  }

  return {
    listRefs: async () => {
      await isVersion2.get();
      return listRefs(http);
    },
    fetch: (request) => {
      const { wants, haves } = request;
      return storePack({ gitDir, git, wants: wants.values(), haves }, fetchPack(http, request));
    },
    isAtomic: async () => !isByLibrary && (await capabilities.get()).has("atomic"),
    push,
  };
}

/** An object store that remembers what is written through it. */
export function rememberUnsent(objects: ObjectStore): { objects: ObjectStore; unsent: Unsent } {
  const ids = new Set<GitId>();
  return {
    objects: {
      ...objects,
      write: async (type, content) => {
        const id = await objects.write(type, content);
        ids.add(id);
        forgetOldest(ids);
        return id;
      },
    },
    unsent: {
      has: (id) => ids.has(id),
      drop: (sent) => {
        for (const id of sent) ids.delete(id);
      },
    },
  };
}

function forgetOldest(ids: Set<GitId>): void {
  for (const id of ids) {
    if (ids.size <= LIMITS.remoteUnsentObjectsMax) return;
    ids.delete(id);
  }
}
