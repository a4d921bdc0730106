import { scanForSecrets } from "../../shared/secret/scan.ts";

declare const shownKey: unique symbol;

/** The name of a memory as it is said to people, agents and programs: of one that is a secret itself, only how it begins. */
export type ShownKey = string & { readonly [shownKey]: true };

export type Shown<T extends { readonly key: string }> = Omit<T, "key"> & { readonly key: ShownKey };

export function toShown<T extends { readonly key: string }>(said: T): Shown<T> {
  return { ...said, key: toShownKey(said.key) };
}

export function toShownKey(key: string): ShownKey {
  return (scanForSecrets(key)[0]?.masked ?? key) as ShownKey;
}

/** Why a memory cannot be proposed, for a line that names it already, or that must not, for its name is a secret. */
export function withoutKey(message: string, key: string): string {
  const heads = [key, toShownKey(key)].map((name) => `Cannot propose ${name}: `);
  const head = heads.find((one) => message.startsWith(one)) ?? "";
  return message.slice(head.length);
}
