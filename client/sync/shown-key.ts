import { scanForSecrets } from "../../shared/secret/scan.ts";
import type { KeyProblem } from "./push-set.ts";

/** The name of a memory as it is said to people and agents: of one that is a secret itself, only how it begins. */
export function toShownKey({ key, code }: Pick<KeyProblem, "key" | "code">): string {
  const [found] = code === "secret_found" ? scanForSecrets(key) : [];
  return found?.masked ?? key;
}
