import { LIMITS } from "../../shared/limits.ts";
import { asArray, asObject, asText, type JsonObject } from "../sync/json-shape.ts";

/** What the host's file tools would leave in a file; pure. */
export type ResultingText =
  | { readonly kind: "whole"; readonly text: string }
  /** Only what is put in is known: the file cannot be read, or does not hold what is to be replaced. */
  | { readonly kind: "part"; readonly text: string }
  | { readonly kind: "unknown" };

interface Edit {
  readonly before: string;
  readonly after: string;
  readonly isForAll: boolean;
}

/**
 * @param tool `Write`, `Edit` or `MultiEdit`, with its input as the host has it
 * @param readFile the file's present text; null where there is none that can be read
 */
export function toResultingText(tool: string, input: JsonObject, readFile: () => string | null): ResultingText {
  if (tool === "Write") return typeof input["content"] === "string" ? whole(input["content"]) : UNKNOWN;
  const edits = parseEdits(tool, input);
  if (edits === null) return UNKNOWN;
  const text = applyEdits(readFile(), edits);
  return text === null ? { kind: "part", text: edits.map(({ after }) => after).join("\n") } : whole(text);
}

const UNKNOWN: ResultingText = { kind: "unknown" };

function whole(text: string): ResultingText {
  return { kind: "whole", text };
}

function parseEdits(tool: string, input: JsonObject): readonly Edit[] | null {
  try {
    if (tool === "Edit") return [toEdit(input)];
    return asArray(input["edits"], LIMITS.editsPerCallMax).map(asObject).map(toEdit);
  } catch {
    return null;
  }
}

function toEdit({ old_string, new_string, replace_all }: JsonObject): Edit {
  const text = (value: unknown) => toLineEnds(asText(value, LIMITS.hookInputSizeBytesMax));
  return { before: text(old_string), after: text(new_string), isForAll: replace_all === true };
}

/** Null: an edit does not apply. An empty `old_string` stands for a file that is to be made. */
function applyEdits(file: string | null, edits: readonly Edit[]): string | null {
  let text = file === null ? null : toLineEnds(file);
  for (const { before, after, isForAll } of edits) {
    if (before === "" && (text ?? "") === "") text = after;
    else if (text === null || before === "" || !text.includes(before)) return null;
    else text = isForAll ? text.replaceAll(before, () => after) : text.replace(before, () => after);
  }
  return text;
}

/** As the host reads files: an `old_string` with plain line ends is found in a file with others. */
function toLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
