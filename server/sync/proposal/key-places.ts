/** Set rules for a few new keys among many: only what could collide with them is looked at. */
import { findKeyCollisions, foldKey, type KeyCollision } from "../../../shared/path/key-set.ts";
import type { MemoryKey } from "../../../shared/path/sanitize-path-key.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

/** For each folded name of a file or folder, the keys at it or below it. */
type KeyPlaces = ReadonlyMap<string, readonly MemoryKey[]>;

const known = new WeakMap<Snapshot, KeyPlaces>();

/** Collisions of `added` with the served keys that are not in `removed`, and among themselves. */
export function findNewCollisions(
  snapshot: Snapshot,
  added: readonly MemoryKey[],
  removed: ReadonlySet<string>,
): readonly KeyCollision[] {
  const places = placesOf(snapshot);
  // Served keys never collide, so any one of those at a place speaks for all of them.
  const neighbours = added.flatMap(foldPlaces).flatMap((place) => {
    const neighbour = places.get(place)?.find((key) => !removed.has(key));
    return neighbour === undefined ? [] : [neighbour];
  });
  const others = [...new Set(neighbours)].filter((key) => !added.includes(key));
  const isNew = new Set<string>(added);
  return findKeyCollisions([...others, ...added]).filter(({ key }) => isNew.has(key));
}

function placesOf(snapshot: Snapshot): KeyPlaces {
  const places = known.get(snapshot) ?? buildPlaces([...snapshot.files.keys()]);
  known.set(snapshot, places);
  return places;
}

function buildPlaces(keys: readonly MemoryKey[]): KeyPlaces {
  const places = new Map<string, MemoryKey[]>();
  for (const key of keys) {
    for (const place of foldPlaces(key)) {
      const at = places.get(place);
      if (at === undefined) places.set(place, [key]);
      else at.push(key);
    }
  }
  return places;
}

/** A key's folders from the root down, then the key itself. */
function foldPlaces(key: string): string[] {
  const segments = key.split("/");
  return segments.map((_, index) => foldKey(segments.slice(0, index + 1).join("/")));
}
