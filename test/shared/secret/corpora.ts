import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../fixtures/corpora");

interface Parts {
  /** The text in pieces, so that no scanner of repositories takes the fixture for a leak. */
  readonly parts: readonly string[];
  readonly rule: string;
}

interface SecretCase extends Parts {
  readonly mustDetect: boolean;
}

interface EvasionCase extends Parts {
  readonly id: string;
  readonly name: string;
  readonly recommend: string;
}

export const SECRET_CASES = read<SecretCase>("secrets.json");
export const EVASION_CASES = read<EvasionCase>("secrets-evasion.json");

function read<Case extends Parts>(name: string): readonly (Case & { readonly text: string })[] {
  const cases: readonly Case[] = JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
  return cases.map((written) => ({ ...written, text: written.parts.join("") }));
}
