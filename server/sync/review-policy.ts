/** `direct`: additions and edits go straight to the base; removals and renames are proposals even there. */
export type ReviewPolicy = "required" | "direct";
