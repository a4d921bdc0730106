import type { Obstacle } from "../state/marks.ts";

/** What lies at a key here. */
export type LocalFact =
  | { readonly kind: "file"; readonly blob: string }
  /** `isVoid`: what lies there holds nothing, which is nobody's text. */
  | { readonly kind: "absent"; readonly isVoid?: true }
  | { readonly kind: "blocked"; readonly because: Obstacle };
