import { scanForSecrets } from "./scan.ts";

/** The text, or the masked prefix of the first secret in it and nothing else: for logs, lists and messages. */
export function withoutSecrets(text: string): string {
  return scanForSecrets(text)[0]?.masked ?? text;
}
