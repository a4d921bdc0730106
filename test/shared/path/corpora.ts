import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../fixtures/corpora");

interface BadKey {
  readonly key: string;
  readonly why: string;
  /** Any of these rules may be the one that is named. */
  readonly rules: readonly string[];
}

interface DebatableKey {
  readonly key: string;
  readonly topic: string;
  readonly recommend: string;
}

export const BAD_KEYS = read<BadKey>("paths-bad.json");
export const BAD_TYPES = read<{ readonly key: unknown }>("paths-bad-types.json");
export const GOOD_KEYS = read<{ readonly key: string; readonly why: string }>("paths-good.json");
export const DEBATABLE_KEYS = read<DebatableKey>("paths-debatable.json");

function read<Entry>(name: string): readonly Entry[] {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}
