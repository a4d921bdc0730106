import { LIMITS } from "../../shared/limits.ts";

/** Work on each item, a bounded number at once. Rejects with the first failure, after which no further item is begun. */
export async function forEachInParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items].reverse();
  const worker = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  try {
    await Promise.all(Array.from({ length: LIMITS.gitObjectsAtOnceMax }, worker));
  } finally {
    waiting.length = 0;
  }
}
