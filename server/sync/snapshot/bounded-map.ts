/** A map that forgets what was used least recently, by count and by weight (bytes, entries: the caller's unit). */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
}

export interface Bounds<V> {
  readonly countMax: number;
  readonly weightMax: number;
  readonly weigh: (value: V) => number;
}

/** One value heavier than the whole bound is kept alone, until the next one comes. */
export function buildBoundedMap<K, V>({ countMax, weightMax, weigh }: Bounds<V>): BoundedMap<K, V> {
  const kept = new Map<K, V>();
  let weight = 0;

  const remove = (key: K) => {
    const value = kept.get(key);
    if (value !== undefined) weight -= weigh(value);
    kept.delete(key);
  };

  return {
    get: (key) => {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set: (key, value) => {
      remove(key);
      kept.set(key, value);
      weight += weigh(value);
      for (const oldest of kept.keys()) {
        if (kept.size <= 1 || (kept.size <= countMax && weight <= weightMax)) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
