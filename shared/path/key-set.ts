export interface KeyCollision {
  /** The one to refuse: it stands later in the list. */
  readonly key: string;
  /** The one that keeps its place. */
  readonly other: string;
  readonly rule: "R-COLLISION" | "R-FILE-DIR";
}

interface Place {
  readonly fold: string;
  readonly spelling: string;
  readonly key: string;
  readonly isFile: boolean;
}

/**
 * Keys of one project that cannot lie side by side on every disk, judged in the order given: the earlier one stays, and
 * a refused key takes no place. `R-COLLISION`: equal once folded, the folders on the way included (`Docs/a.md` and
 * `docs/b.md` share one folder on some disks). `R-FILE-DIR`: one is a folder of the other. Linear in the text of all keys.
 */
export function findKeyCollisions(keys: readonly string[]): readonly KeyCollision[] {
  const places = new Map<string, Place>();
  const collisions: KeyCollision[] = [];
  for (const key of keys) {
    const wanted = placesOf(key);
    const collision = findFirst(places, wanted);
    if (collision) collisions.push(collision);
    else for (const place of wanted) if (!places.has(place.fold)) places.set(place.fold, place);
  }
  return collisions;
}

/** A key's folders from the root down, then the key itself. */
function placesOf(key: string): readonly Place[] {
  const places: Place[] = [];
  for (let end = key.indexOf("/"); end !== -1; end = key.indexOf("/", end + 1)) {
    const spelling = key.slice(0, end);
    places.push({ fold: foldKey(spelling), spelling, key, isFile: false });
  }
  places.push({ fold: foldKey(key), spelling: key, key, isFile: true });
  return places;
}

function findFirst(taken: ReadonlyMap<string, Place>, wanted: readonly Place[]): KeyCollision | null {
  for (const place of wanted) {
    const collision = compare(taken.get(place.fold), place);
    if (collision !== null) return collision;
  }
  return null;
}

function compare(taken: Place | undefined, wanted: Place): KeyCollision | null {
  if (taken === undefined) return null;
  if (taken.isFile !== wanted.isFile) return { key: wanted.key, other: taken.key, rule: "R-FILE-DIR" };
  const shared = !wanted.isFile && taken.spelling === wanted.spelling;
  return shared ? null : { key: wanted.key, other: taken.key, rule: "R-COLLISION" };
}

/**
 * What no two keys of a project may share: equal on some disk, or to the eye. NFKC takes compatibility forms together
 * (ligatures, fullwidth letters), lower then upper case takes sharp s, long s and the final sigma along, and what is
 * invisible is left out (HFS+ ignores it; an emoji is drawn alike with and without its selector).
 */
export function foldKey(key: string): string {
  // Of ASCII nothing is composed, invisible or folded in another way, and nearly all keys are.
  if (/^[ -~]*$/.test(key)) return key.toUpperCase();
  const visible = key.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.toLowerCase().toUpperCase().normalize("NFKC");
}
