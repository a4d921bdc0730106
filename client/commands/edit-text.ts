import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TeamMemoryError } from "../../shared/errors/team-memory-error.ts";
import { decodeMemory } from "../../shared/memory/to-canonical.ts";
import type { CommandOptions } from "../cli.ts";

export interface EditedText {
  readonly text: string;
  /** Takes the scratch copy away; until then it is there, so that what was typed outlives a refusal. */
  readonly drop: () => void;
}

/**
 * A text as a person changes it in their editor, on a scratch copy in a private folder.
 *
 * @throws TeamMemoryError `usage` without a terminal or an editor, or where the editor gives up; the scratch copy is gone
 *   then. `invalid_memory` where it leaves no UTF-8 text
 */
export function editText({ env }: Pick<CommandOptions, "env">, text: string): EditedText {
  if (!process.stdin.isTTY) throw refusal("There is no terminal to edit in: write the text and give --text-file FILE");
  if (env.editor === null) throw refusal("No editor is named: set VISUAL or EDITOR, or give --text-file FILE");
  const folder = mkdtempSync(join(tmpdir(), "team-memory-"));
  const drop = () => rmSync(folder, { recursive: true, force: true });
  const path = join(folder, "memory.md");
  writeFileSync(path, text, { mode: 0o600 });
  if (!runEditor(env.editor, path)) {
    drop();
    throw refusal(`The editor did not end well, and nothing was changed: ${env.editor}`);
  }
  return { text: decodeMemory(readFileSync(path)), drop };
}

/** By the shell, as git does it: people put options into the variable. */
function runEditor(editor: string, path: string): boolean {
  const isWindows = process.platform === "win32";
  const [shell, args] = isWindows ? [`${editor} "${path}"`, []] : ["sh", ["-c", `${editor} "$1"`, "team-memory", path]];
  return spawnSync(shell, args, { stdio: "inherit", shell: isWindows }).status === 0;
}

function refusal(message: string): TeamMemoryError {
  return new TeamMemoryError("usage", message, { details: { usage: "team-memory conflicts --help" } });
}
